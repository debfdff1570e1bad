import LinkRouting

/// Replaces secrets in the journal and in recordings. Matching and the answers to the app are not affected.
package struct SecretMask: Sendable {
    package static let text = "***"

    /// Whether credentials and cookies are masked.
    private let isOn: Bool
    /// Members of JSON bodies whose values are masked, at any depth.
    private let fields: Set<String>

    private static let headerNames = [
        "authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "x-auth-token", "x-csrf-token",
        "x-xsrf-token",
    ]

    package static let off = SecretMask(isOn: false, fields: [])

    /// - Parameter fields: Names of JSON members, compared exactly.
    package init(fields: Set<String>) { self.init(isOn: true, fields: fields) }

    private init(isOn: Bool, fields: Set<String>) {
        self.isOn = isOn
        self.fields = fields
    }

    package func isSecret(header name: String) -> Bool {
        isOn && Self.headerNames.contains { isEqualIgnoringASCIICase($0, name) }
    }

    package func header(_ name: String, _ value: String) -> String {
        guard isSecret(header: name) else { return value }
        // The scheme of credentials and the names and attributes of cookies help to read a journal.
        if name.lowercased().hasSuffix("authorization"), let space = value.firstIndex(of: " ") {
            return "\(value[..<space]) \(Self.text)"
        }
        guard name.lowercased().hasSuffix("cookie") else { return Self.text }
        return value.split(separator: ";", omittingEmptySubsequences: false).enumerated().map { index, pair in
            guard let equals = pair.firstIndex(of: "="), index == 0 || name.lowercased() == "cookie" else {
                return String(pair)
            }
            return "\(pair[...equals])\(Self.text)"
        }.joined(separator: ";")
    }

    func cookie(_ value: String) -> String { isOn ? Self.text : value }

    package func body(_ bytes: [UInt8]) -> [UInt8] {
        guard isOn, !fields.isEmpty else { return bytes }
        guard let node = try? JSONReader.parse(bytes, limits: .stubs, duplicateKeys: .keep) else {
            // The position of the value is unknown in malformed JSON.
            let names = fields.map { Array("\"\($0)\"".utf8) }
            return names.contains { bytes.firstRange(of: $0) != nil } ? Array(Self.text.utf8) : bytes
        }
        let (masked, isChanged) = masked(node)
        return isChanged ? Array(masked.json().utf8) : bytes
    }

    private func masked(_ node: JSONNode) -> (node: JSONNode, isChanged: Bool) {
        switch node.value {
        case .array(let elements):
            let results = elements.map(masked)
            return (.array(results.map(\.node)), results.contains(where: \.isChanged))
        case .object(let members):
            var isChanged = false
            let results = members.map { member in
                guard !fields.contains(member.key) else {
                    isChanged = true
                    return JSONNode.Member(member.key, .string(Self.text))
                }
                let result = masked(member.value)
                isChanged = isChanged || result.isChanged
                return JSONNode.Member(member.key, result.node)
            }
            return (.object(results), isChanged)
        default: return (node, false)
        }
    }
}
