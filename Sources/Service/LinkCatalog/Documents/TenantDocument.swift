import AppAssociation
package import LinkRouting

/// A tenant document as a file holds it: settings, a table, or both.
package struct TenantDocument: Sendable {
    package let tenant: TenantID?
    /// The settings as written, for the store.
    package let settings: JSONNode?
    package let table: JSONNode?
    /// The short links of a stub server, as written; see ``shortLinks(to:)``.
    package let links: JSONNode?
    /// The revision that the table was pulled from and edited; nil when the file is the only source.
    package let basedOn: Revision?
    /// The revision of the settings that were pulled and edited; nil when the file is the only source.
    package let settingsBasedOn: Int64?
    /// Whether the root of the document is the table itself.
    private let isTable: Bool

    package static let keys = ["formatVersion", "tenant", "basedOn", "settingsBasedOn", "settings", "table", "links"]

    /// Reads `{formatVersion, tenant, basedOn, settingsBasedOn, settings, table, links}`. A file with `routes` or `defaults` at its root is a
    /// table.
    ///
    /// - Throws: `DocumentError`.
    package init(_ text: String) throws {
        // The file is local and takes no memory from other callers, so YAML gets the full limit.
        let root = DocumentField(try Document.read(text, maximumYAMLValues: Document.maximumValues), path: "")
        let object = try root.anyObject()
        if let key = ["routes", "defaults"].first(where: { key in object.all.contains { $0.key == key } }) {
            guard !["tenant", "settings", "table"].contains(where: { object[$0] != nil }) else {
                throw object.error(
                    at: key,
                    "In a tenant file, this belongs under 'table'; indent it below 'table:'."
                )
            }
            tenant = nil
            basedOn = nil
            settingsBasedOn = nil
            settings = nil
            table = root.node
            links = nil
            isTable = true
            try Self.refuseNulls(of: root)
            return
        }
        isTable = false
        try DocumentKind.tenant.require(object)
        try object.refuseKeys(besides: Self.keys)
        try RouteTable.requireFormatVersion(of: object)
        for key in ["settings", "table"] {
            try object.refuseNull(key, "add its keys, or remove it to keep what is live.")
        }
        tenant = try object["tenant"]?.identifier(TenantID.self)
        basedOn = try object["basedOn"].map { Revision(rawValue: try $0.int(in: 1...Int64.max)) }
        settingsBasedOn = try object["settingsBasedOn"]?.int(in: 1...Int64.max)
        settings = object["settings"]?.node
        table = object["table"]?.node
        links = object["links"]?.node
        if let table = object["table"] { try Self.refuseNulls(of: table) }
        guard settings != nil || table != nil else {
            throw root.error("The document has neither 'settings' nor 'table'; add one.")
        }
    }

    /// Throws for a key without a value: in YAML, its value may be indented too little. Over HTTP, null is an omitted member.
    private static func refuseNulls(of table: DocumentField) throws {
        guard table.node.members != nil else { return }
        let object = try table.anyObject()
        try object.refuseNull("routes", "add routes, or write [] if the table has none.")
        for key in ["defaults", "screens"] { try object.refuseNull(key, "add its keys, or remove it.") }
    }

    /// Returns the settings and the table, and what is wrong with them. With `now`, the findings include advice: routes
    /// that have expired, and links that association files open beyond the table.
    package func checked(now: Timestamp? = nil) -> (settings: Settings?, table: RouteTable?, findings: [Finding]) {
        var findings: [Finding] = []
        let prefix = isTable ? "" : "table"
        var settings: Settings?
        if let node = self.settings {
            do {
                settings = try Settings(DocumentField(node, path: "settings"))
            } catch {
                let errors = error.errors.sorted { left, right in
                    (left.position.line, left.position.column) < (right.position.line, right.position.column)
                }
                findings += errors.map(Finding.init)
            }
        }
        var table: RouteTable?
        if let node = self.table {
            do {
                table = try RouteTable(DocumentField(node, path: prefix))
            } catch {
                findings += error.errors.map(Finding.init)
            }
        }
        if let table, findings.isEmpty, self.settings != nil || self.table == nil {
            findings += table.check(
                for: settings?.identity ?? Identity(),
                in: self.table ?? .null,
                prefix: prefix,
                now: now
            )
        } else if self.table == nil {
            findings += settings?.identity.unlikelyValues ?? []
        }
        let isWrong = findings.contains { $0.severity == .error }
        findings += linkFindings(isWrong ? nil : settings, isWrong ? nil : table)
        if settings != nil, let node = self.settings { findings += Settings.unlikelyValues(in: node) }
        findings = findings.map { $0.positioned(in: self.settings, as: "settings.") }
        return (settings, table, findings)
    }
}

extension Finding {
    package init(_ error: DocumentError) {
        self.init(.invalid, .error, path: error.path, message: error.message, fix: "", position: error.position)
    }

    /// Returns the finding with its position in a part of the document, if its path begins with `prefix`.
    fileprivate func positioned(in part: JSONNode?, as prefix: String) -> Finding {
        guard let part, position == nil, path.hasPrefix(prefix) else { return self }
        var finding = self
        finding.position = part.position(at: String(path.dropFirst(prefix.count)))
        return finding
    }
}

extension RouteTable {
    /// Checks the table and the association files made from it. Each finding gets its position in `document`, from
    /// which the table was read.
    package func check(
        for identity: Identity,
        in document: JSONNode,
        prefix: String,
        now: Timestamp? = nil,
        unless cancellation: Cancellation = Cancellation()
    ) -> [Finding] {
        var findings = check(for: identity, now: now, within: cancellation.budget(of: .tableCheck))
        // Association files are checked only for a table without errors; they are useless otherwise.
        if !findings.contains(where: { $0.severity == .error }) {
            findings += checkAssociation(
                for: identity,
                advice: now == nil ? .omitted : .included,
                within: cancellation.budget(of: .associationFiles)
            )
        }
        return findings.map { finding in
            guard !finding.path.hasPrefix("settings.") else { return finding }
            var finding = finding
            finding.position = document.position(at: finding.path)
            finding.path = prefix.isEmpty ? finding.path : "\(prefix).\(finding.path)"
            return finding
        }
    }
}

extension JSONNode {
    /// Returns the position of the deepest existing node on a path such as `routes[3].web`.
    fileprivate func position(at path: String) -> Position {
        var node = self
        for step in path.split(whereSeparator: { $0 == "." || $0 == "[" }) {
            let next =
                step.hasSuffix("]") ? Int(step.dropLast()).flatMap { node.elements?[safe: $0] } : node[String(step)]
            guard let next else { break }
            node = next
        }
        return node.position
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
