import LinkRouting

/// Validates the statements of a file. ``AndroidRulesInspection`` validates their dynamic rules.
enum AndroidFileInspection {
    private static let statementKeys = ["relation", "target", "include", "relation_extensions"]
    private static let targetKeys = ["namespace", "package_name", "sha256_cert_fingerprints", "site"]
    private static let usedRelations: Set<StatementRelation> = [
        .handleAllURLs, .getLoginCredentials, .useAsOrigin, .queryWebAPK,
    ]

    static func inspect(_ file: AssetLinks, _ findings: inout AndroidFindings) {
        guard file.root.elements != nil else {
            return findings.add(
                .androidRootType,
                "",
                file.root.position,
                "The file is \(file.root.kind), not a list of statements; Android drops it, so no app is verified.",
                fix: file.root["applinks"] != nil
                    ? "This is an apple-app-site-association file: serve a list of statements here."
                    : file.root.members == nil
                        ? "Write a list [ ] with a statement in it."
                        : "Put the object into a list: write [ before it and ] after it."
            )
        }
        guard !file.statements.isEmpty else {
            return findings.add(
                .androidNoStatements,
                "",
                file.root.position,
                "The list is empty; no app is verified for this host.",
                fix: "Add a statement for each app that may open the host's links."
            )
        }
        for statement in file.statements where findings.continues() { inspect(statement, &findings) }
        inspectFingerprintCount(file, &findings)
        AndroidRulesInspection.inspect(file, &findings)
    }

    private static func inspect(_ statement: AssetLinks.Statement, _ findings: inout AndroidFindings) {
        inspectKeys(statement.node, statementKeys, statement.pointer, &findings)
        if let target = statement.node["target"] {
            inspectKeys(target, targetKeys, "\(statement.pointer)/target", &findings)
        }
        let isDropped = statement.isDropped
        for malformation in StatementParser(pointer: statement.pointer).malformations(statement.node) {
            guard findings.continues() else { return }
            guard !isWebAPK(malformation, statement) else {
                findings.add(
                    .webAPK,
                    malformation.pointer,
                    malformation.position,
                    "Chrome reads this statement, to say whether the web app is installed. Google's API reads no site "
                        + "with a path, and drops the statement.",
                    fix: "No action is needed."
                )
                continue
            }
            let text = malformation.text ?? ""
            findings.add(
                malformation.field.code,
                malformation.pointer,
                malformation.position,
                (malformation.field == .fingerprint && !isDropped
                    ? "Google may drop this statement" : "Google drops this statement")
                    + ": \(malformation.problem)."
                    + (malformation.field == .fingerprint ? remark(onFingerprint: text) : ""),
                fix: fix(malformation, text)
            )
        }
        switch statement.content {
        case .success(.relations(let relations, let targets)):
            inspect(relations, of: statement, &findings)
            inspect(targets, of: statement, &findings)
        case .success(.include(let url)): inspect(include: url, of: statement, &findings)
        case .failure: break
        }
    }

    private static func inspectKeys(
        _ node: JSONNode,
        _ known: [String],
        _ pointer: String,
        _ findings: inout AndroidFindings
    ) {
        var seen: Set<String> = []
        for member in node.members ?? [] {
            guard findings.continues() else { return }
            let place = "\(pointer)/\(JSONNode.pointerToken(member.key))"
            if !seen.insert(member.key).inserted {
                findings.add(
                    .androidDuplicateKey,
                    place,
                    member.keyPosition,
                    "Duplicate key '\(member.key.excerpt)' in this object; which value applies depends on the reader.",
                    fix: "Remove one of the two."
                )
            }
            guard !known.contains(member.key) else { continue }
            findings.add(
                .androidUnknownKey,
                place,
                member.keyPosition,
                "Unknown key '\(member.key.excerpt)': Android ignores it here.",
                fix: "Write one of \(known.map { "'\($0)'" }.joined(separator: ", ")), or remove it."
            )
        }
    }

    // MARK: Malformed statements

    /// Returns whether the statement is malformed only because it names the manifest of a web app, as Chrome expects.
    private static func isWebAPK(
        _ malformation: AssetLinks.Statement.Malformation,
        _ statement: AssetLinks.Statement
    ) -> Bool {
        guard malformation.field == .site, let text = statement.node["target"]?["site"]?.text,
            (try? WebSite(ofURL: text)) != nil, !statement.relationTexts.isEmpty
        else { return false }
        return statement.relationTexts.allSatisfy { $0 == StatementRelation.queryWebAPK.description }
    }

    private static func remark(onFingerprint text: String) -> String {
        if CertificateFingerprint(normalising: text) != nil {
            return " Android accepts only upper-case pairs separated by colons."
        }
        let digits = text.utf8.filter(ByteSet.hexDigits.contains).count
        return digits == 40
            ? " Its 20 bytes are a SHA-1 fingerprint; Android compares the SHA-256 fingerprint, which has 32 bytes."
            : ""
    }

    private static func fix(_ malformation: AssetLinks.Statement.Malformation, _ fingerprint: String) -> String {
        switch malformation.field {
        case .statement: "Write an object with 'relation' and 'target'."
        case .include: "Write {\"include\": \"https://…\"} with a URL and no other key."
        case .relation: "Write \"relation\": [\"\(StatementRelation.handleAllURLs)\"]."
        case .target: "Write \"target\": {\"namespace\": \"android_app\", …}."
        case .namespace: "Write \"namespace\": \"android_app\" for an app, \"web\" for a site."
        case .site: "Write \"site\": \"https://host\", with the port if it is not 443, and nothing after it."
        case .package: "Write the application ID, such as \"com.example.app\"."
        case .fingerprints: "List the SHA-256 fingerprints of the app's signing certificates as strings."
        case .fingerprint:
            CertificateFingerprint(normalising: fingerprint).map { "Write \"\($0)\"." }
                ?? "Write the certificate's SHA-256 fingerprint as 32 upper-case pairs separated by colons; the "
                + "Play Console shows it under App signing."
        }
    }

    // MARK: Statements that are read

    private static func inspect(
        _ relations: [StatementRelation],
        of statement: AssetLinks.Statement,
        _ findings: inout AndroidFindings
    ) {
        for (index, relation) in relations.enumerated() where !usedRelations.contains(relation) {
            findings.add(
                .unsupportedRelation,
                "\(statement.pointer)/relation/\(index)",
                statement.node["relation"]?.elements?[index].position ?? statement.node.position,
                "Android does not use the relation '\(relation)'; the relation opens no link and shares no password.",
                fix: "For App Links, write '\(StatementRelation.handleAllURLs)'; for passwords and passkeys, "
                    + "'\(StatementRelation.getLoginCredentials)'."
            )
        }
    }

    private static func inspect(
        _ targets: [StatementAsset],
        of statement: AssetLinks.Statement,
        _ findings: inout AndroidFindings
    ) {
        for (index, target) in targets.enumerated() {
            guard findings.continues() else { return }
            guard case .androidApp(_, let fingerprint) = target else { continue }
            let list = statement.node["target"]?["sha256_cert_fingerprints"]?.elements ?? []
            let pointer = "\(statement.pointer)/target/sha256_cert_fingerprints/\(index)"
            let position = list.indices.contains(index) ? list[index].position : statement.node.position
            if let name = PublishedPrivateKeys.name(of: fingerprint.description) {
                findings.add(
                    .publishedPrivateKey,
                    pointer,
                    position,
                    "This fingerprint belongs to \(name), whose private key is published. Anyone can sign an app with "
                        + "it, and Android would verify that app for this host.",
                    fix: "Remove it, and list the app's own signing certificates. For development, use a separate "
                        + "host or package name and a debug key of your own."
                )
            }
            guard fingerprint.isPlaceholder else { continue }
            findings.add(
                .exampleFingerprint,
                pointer,
                position,
                "This fingerprint is an example or a placeholder. Your app does not have such a certificate, so "
                    + "Android does not verify it.",
                fix: "Write the SHA-256 fingerprint of the app's signing certificate; the Play Console shows it "
                    + "under App signing."
            )
        }
    }

    private static func inspect(
        include url: String,
        of statement: AssetLinks.Statement,
        _ findings: inout AndroidFindings
    ) {
        guard (try? WebSite(ofURL: url))?.scheme == .http else { return }
        findings.add(
            .include,
            "\(statement.pointer)/include",
            statement.node["include"]?.position ?? statement.node.position,
            "The included file is fetched over http; a file that is served over https cannot include it.",
            fix: "Write an https URL."
        )
    }

    /// Reports an app with a single fingerprint, at most once per file. A fingerprint does not show whether it is
    /// Play's or the upload key's.
    private static func inspectFingerprintCount(_ file: AssetLinks, _ findings: inout AndroidFindings) {
        var fingerprints: [String: Set<StatementAsset>] = [:]
        for statement in file.statements {
            guard case .success(.relations(_, let targets)) = statement.content, let package = statement.packageName
            else {
                continue
            }
            fingerprints[package, default: []].formUnion(targets)
        }
        let single = file.statements.first { $0.packageName.map { fingerprints[$0]?.count == 1 } ?? false }
        guard let single, let package = single.packageName else { return }
        findings.add(
            .oneFingerprint,
            "\(single.pointer)/target/sha256_cert_fingerprints",
            single.node["target"]?["sha256_cert_fingerprints"]?.position ?? single.node.position,
            "'\(package)' has only one fingerprint. Play signs the app with the app signing key; your own builds "
                + "are signed with the upload or debug key, which has another fingerprint.",
            fix:
                "Make sure that it is the fingerprint of the app signing key in the Play Console; list those of "
                + "your own builds as well."
        )
    }
}

extension AssetLinks.Statement.Malformation.Field {
    fileprivate var code: AssociationFinding.Code {
        switch self {
        case .statement: .statement
        case .include: .include
        case .relation: .relation
        case .target: .target
        case .namespace: .namespace
        case .site: .site
        case .package: .packageName
        case .fingerprints: .fingerprints
        case .fingerprint: .fingerprint
        }
    }
}
