import LinkRouting

/// Reads one statement as Google's verifier does.
struct StatementParser {
    let pointer: String

    typealias Statement = AssetLinks.Statement
    private typealias Malformation = Statement.Malformation

    func content(_ node: JSONNode) -> Result<Statement.Content, Statement.Malformation> {
        do throws(Malformation) { return .success(try read(node)) } catch { return .failure(error) }
    }

    private func read(_ node: JSONNode) throws(Malformation) -> Statement.Content {
        guard node.members != nil else { throw malformed("the statement is not an object", node) }
        if let include = node["include"] {
            guard node["relation"] == nil, node["target"] == nil else {
                throw malformed(
                    "an include must not stand in a statement with a relation or a target",
                    include,
                    "include"
                )
            }
            return .include(url: try includedURL(include))
        }
        guard let relation = node["relation"] else { throw malformed("no relation array specified", node) }
        let relations = try relations(relation)
        guard let target = node["target"] else { throw malformed("no target specified", node) }
        return .relations(relations, to: try assets(target))
    }

    private func includedURL(_ node: JSONNode) throws(Malformation) -> String {
        guard let text = node.text else { throw malformed("the include is not a string", node, "include") }
        do throws(WebSite.Problem) {
            _ = try WebSite(ofURL: text)
            return text
        } catch {
            let message =
                error == .scheme
                ? "the include '\(text)' is a non-HTTP URL" : "the include '\(text)' is not a valid URL"
            throw malformed(message, node, "include")
        }
    }

    private func relations(_ node: JSONNode) throws(Malformation) -> [StatementRelation] {
        guard let elements = node.elements else { throw malformed("the relation is not an array", node, "relation") }
        guard !elements.isEmpty else { throw malformed("the relation array is empty", node, "relation") }
        var relations: [StatementRelation] = []
        for (index, element) in elements.enumerated() {
            guard let text = element.text else {
                throw malformed("invalid relation: it is not a string", element, "relation", index)
            }
            do throws(StatementRelation.Problem) {
                relations.append(try StatementRelation(text))
            } catch {
                throw malformed(error.message, element, "relation", index)
            }
        }
        return relations
    }

    private func assets(_ target: JSONNode) throws(Malformation) -> [StatementAsset] {
        guard target.members != nil else { throw malformed("the asset descriptor is not an object", target, "target") }
        guard let namespace = target["namespace"] else {
            throw malformed("no namespace field in asset descriptor", target, "target")
        }
        switch namespace.text {
        case "web": return [.web(try site(target))]
        case "android_app": return try apps(target)
        default:
            throw malformed("unrecognized namespace \(namespace.json())", namespace, "target", "namespace")
        }
    }

    private func site(_ target: JSONNode) throws(Malformation) -> WebSite {
        guard let node = target["site"] else {
            throw malformed("no site field in web asset descriptor", target, "target")
        }
        guard let text = node.text else { throw malformed("Invalid site: it is not a string", node, "target", "site") }
        do throws(WebSite.Problem) {
            return try WebSite(text)
        } catch {
            throw malformed("Invalid site '\(text)': \(error.message)", node, "target", "site")
        }
    }

    private func apps(_ target: JSONNode) throws(Malformation) -> [StatementAsset] {
        guard let package = target["package_name"] else {
            throw malformed("no package_name field in android app asset descriptor", target, "target")
        }
        guard let name = package.text.flatMap(PackageName.init) else {
            throw malformed("invalid package name \(package.json())", package, "target", "package_name")
        }
        let key = "sha256_cert_fingerprints"
        guard let list = target[key] else {
            throw malformed("no \(key) field in android app asset descriptor", target, "target")
        }
        guard let elements = list.elements else { throw malformed("\(key) is not an array", list, "target", key) }
        guard !elements.isEmpty else { throw malformed("\(key) is empty", list, "target", key) }
        var assets: [StatementAsset] = []
        for (index, element) in elements.enumerated() {
            guard let text = element.text else {
                throw malformed("a value of \(key) is not a string", element, "target", key, index)
            }
            guard let fingerprint = CertificateFingerprint(text) else {
                throw malformed("malformed cert fingerprint '\(text)'", element, "target", key, index)
            }
            assets.append(.androidApp(name, fingerprint))
        }
        return assets
    }

    private func malformed(_ message: String, _ node: JSONNode, _ path: any CustomStringConvertible...) -> Malformation
    {
        Malformation(
            pointer: path.reduce(pointer) { "\($0)/\($1)" },
            position: node.position,
            message: "Could not parse statement list: \(message)."
        )
    }
}
