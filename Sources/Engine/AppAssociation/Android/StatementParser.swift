import LinkRouting

/// Parses one statement as Google's verifier does.
struct StatementParser {
    let pointer: String

    private static let fingerprints = "sha256_cert_fingerprints"

    typealias Statement = AssetLinks.Statement
    private typealias Malformation = Statement.Malformation

    func content(_ node: JSONNode) -> Result<Statement.Content, Statement.Malformation> {
        do throws(Malformation) { return .success(try read(node)) } catch { return .failure(error) }
    }

    private func read(_ node: JSONNode) throws(Malformation) -> Statement.Content {
        guard node.members != nil else { throw malformed(.statement, "the statement is not an object", node) }
        if let include = node["include"] {
            guard node["relation"] == nil, node["target"] == nil else {
                throw malformed(
                    .include,
                    "a statement with an include must not have a relation or a target",
                    include,
                    "include"
                )
            }
            return .include(url: try includedURL(include))
        }
        return .relations(try relations(of: node), to: try assets(of: node))
    }

    /// Returns all malformations of a statement. ``content(_:)`` stops at the first.
    func malformations(_ node: JSONNode) -> [Statement.Malformation] {
        guard case .failure(let first) = content(node) else { return [] }
        guard first.field != .statement, first.field != .include else { return [first] }
        var malformations: [Malformation] = []
        do throws(Malformation) { _ = try relations(of: node) } catch { malformations.append(error) }
        do throws(Malformation) {
            _ = try assets(of: node)
        } catch {
            guard error.field == .fingerprint else { return malformations + [error] }
            for (index, element) in (node["target"]?[Self.fingerprints]?.elements ?? []).enumerated() {
                do throws(Malformation) { _ = try fingerprint(element, index) } catch { malformations.append(error) }
            }
        }
        return malformations
    }

    private func relations(of node: JSONNode) throws(Malformation) -> [StatementRelation] {
        guard let relation = node["relation"] else { throw malformed(.relation, "no relation array specified", node) }
        return try relations(relation)
    }

    private func assets(of node: JSONNode) throws(Malformation) -> [StatementAsset] {
        guard let target = node["target"] else { throw malformed(.target, "no target specified", node) }
        return try assets(target)
    }

    private func includedURL(_ node: JSONNode) throws(Malformation) -> String {
        guard let text = node.text else { throw malformed(.include, "the include is not a string", node, "include") }
        do throws(WebSite.Problem) {
            _ = try WebSite(ofURL: text)
            return text
        } catch {
            let message =
                error == .scheme
                ? "the include '\(text)' is a non-HTTP URL" : "the include '\(text)' is not a valid URL"
            throw malformed(.include, message, node, "include")
        }
    }

    private func relations(_ node: JSONNode) throws(Malformation) -> [StatementRelation] {
        guard let elements = node.elements else {
            throw malformed(.relation, "the relation is not an array", node, "relation")
        }
        guard !elements.isEmpty else { throw malformed(.relation, "the relation array is empty", node, "relation") }
        var relations: [StatementRelation] = []
        for (index, element) in elements.enumerated() {
            guard let text = element.text else {
                throw malformed(.relation, "invalid relation: it is not a string", element, "relation", index)
            }
            do throws(StatementRelation.Problem) {
                relations.append(try StatementRelation(text))
            } catch {
                throw malformed(.relation, error.message, element, "relation", index)
            }
        }
        return relations
    }

    private func assets(_ target: JSONNode) throws(Malformation) -> [StatementAsset] {
        guard target.members != nil else {
            throw malformed(.target, "the asset descriptor is not an object", target, "target")
        }
        guard let namespace = target["namespace"] else {
            throw malformed(.namespace, "no namespace field in asset descriptor", target, "target")
        }
        switch namespace.text {
        case "web": return [.web(try site(target))]
        case "android_app": return try apps(target)
        default:
            throw malformed(.namespace, "unrecognized namespace \(namespace.json())", namespace, "target", "namespace")
        }
    }

    private func site(_ target: JSONNode) throws(Malformation) -> WebSite {
        guard let node = target["site"] else {
            throw malformed(.site, "no site field in web asset descriptor", target, "target")
        }
        guard let text = node.text else {
            throw malformed(.site, "Invalid site: it is not a string", node, "target", "site")
        }
        do throws(WebSite.Problem) {
            return try WebSite(text)
        } catch {
            throw malformed(.site, "Invalid site '\(text)': \(error.message)", node, "target", "site")
        }
    }

    private func apps(_ target: JSONNode) throws(Malformation) -> [StatementAsset] {
        guard let package = target["package_name"] else {
            throw malformed(.package, "no package_name field in android app asset descriptor", target, "target")
        }
        guard let name = package.text.flatMap(PackageName.init) else {
            throw malformed(.package, "invalid package name \(package.json())", package, "target", "package_name")
        }
        let key = Self.fingerprints
        guard let list = target[key] else {
            throw malformed(.fingerprints, "no \(key) field in android app asset descriptor", target, "target")
        }
        guard let elements = list.elements else {
            throw malformed(.fingerprints, "\(key) is not an array", list, "target", key)
        }
        guard !elements.isEmpty else { throw malformed(.fingerprints, "\(key) is empty", list, "target", key) }
        var assets: [StatementAsset] = []
        for (index, element) in elements.enumerated() {
            assets.append(.androidApp(name, try fingerprint(element, index)))
        }
        return assets
    }

    private func fingerprint(_ node: JSONNode, _ index: Int) throws(Malformation) -> CertificateFingerprint {
        guard let text = node.text else {
            let problem = "a value of \(Self.fingerprints) is not a string"
            throw malformed(.fingerprint, problem, node, "target", Self.fingerprints, index)
        }
        guard let fingerprint = CertificateFingerprint(text) else {
            let problem = "malformed cert fingerprint '\(text)'"
            throw malformed(.fingerprint, problem, node, "target", Self.fingerprints, index)
        }
        return fingerprint
    }

    private func malformed(
        _ field: Malformation.Field,
        _ problem: String,
        _ node: JSONNode,
        _ path: any CustomStringConvertible...
    ) -> Malformation {
        Malformation(
            pointer: path.reduce(pointer) { "\($0)/\($1)" },
            position: node.position,
            field: field,
            problem: problem,
            text: node.text
        )
    }
}
