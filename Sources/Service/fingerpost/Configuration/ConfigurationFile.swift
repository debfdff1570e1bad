import Configuration
import Foundation
import LinkCatalog
import LinkRouting
import SystemPackage

/// A validated configuration file. Without validation, a misspelt key or a value of the wrong type would silently mean
/// the default.
struct ConfigurationFile {
    let path: String
    let provider: FileProvider<YAMLSnapshot>
    /// The line of each key that the file sets.
    let lines: [String: Int]

    /// Nil for a file that has only comments, which sets nothing.
    init?(_ path: String) async throws {
        self.path = path
        let root: JSONNode
        do {
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let lines = text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
            guard lines.isEmpty || !lines.allSatisfy({ $0.isEmpty || $0.hasPrefix("#") }) else { return nil }
            if let answer = failedDownload(text) {
                throw ServiceConfiguration.Invalid(message: "\(path) is \(answer), not a configuration.")
            }
            root = try Document.read(text)
        } catch let error as ServiceConfiguration.Invalid {
            throw error
        } catch let error as DocumentError {
            throw ServiceConfiguration.Invalid(message: "\(path): \(error.description)")
        } catch {
            throw ServiceConfiguration.Invalid(message: "\(path) cannot be read: \(unreadableReason(path, error)).")
        }
        if let member = root.members?.first(where: { ["settings", "table", "routes", "cases"].contains($0.key) }) {
            throw ServiceConfiguration.Invalid(
                message:
                    "\(path), line \(member.keyPosition.line): '\(member.key)' belongs in a tenant file or a suite, not "
                    + "in the configuration. To load a tenant file into a server, use 'fingerpost apply'."
            )
        }
        let settings = try Self.settings(in: root, at: "", of: path)
        lines = Dictionary(settings.map { ($0.key, $0.line) }) { first, _ in first }
        do {
            provider = try await FileProvider<YAMLSnapshot>(filePath: FilePath(path))
        } catch {
            throw ServiceConfiguration.Invalid(message: "\(path) cannot be read: \(error)")
        }
        let reader = ConfigReader(provider: provider)
        for (key, line) in settings
        where reader.string(forKey: ConfigKey(key)) == nil && reader.int(forKey: ConfigKey(key)) == nil {
            let isList = ServiceConfiguration.listKeys.contains(key)
            if isList, reader.stringArray(forKey: ConfigKey(key)) != nil { continue }
            let reason =
                isList
                ? "is neither a string nor a list of strings; write a list such as [10.0.0.0/8, fd00::/8]."
                : "is neither a string nor a whole number; quote the string, or remove the line."
            throw ServiceConfiguration.Invalid(message: "\(path), line \(line): '\(key)' \(reason)")
        }
    }

    /// Returns the keys that the file sets, each with its line.
    private static func settings(
        in node: JSONNode,
        at parent: String,
        of file: String
    ) throws -> [(key: String, line: Int)] {
        // A group whose keys are all commented out.
        if case .null = node.value { return [] }
        guard let members = node.members else {
            let place = parent.isEmpty ? file : "\(file), line \(node.position.line)"
            let advice =
                ServiceConfiguration.keys.contains("\(parent).port")
                ? "write \(parent).host and \(parent).port." : "config/fingerpost.yaml lists them."
            throw ServiceConfiguration.Invalid(
                message: "\(place): \(parent.isEmpty ? "the file" : "'\(parent)'") must contain keys; \(advice)"
            )
        }
        return try members.flatMap { member in
            let key = parent.isEmpty ? member.key : "\(parent).\(member.key)"
            if ServiceConfiguration.keys.contains(key) { return [(key, member.keyPosition.line)] }
            if let reason = ServiceConfiguration.removedKeys[key] {
                throw ServiceConfiguration.Invalid(
                    message: "\(file), line \(member.keyPosition.line): '\(key)' no longer exists: \(reason)."
                )
            }
            guard ServiceConfiguration.keys.contains(where: { $0.hasPrefix(key + ".") }) else {
                throw ServiceConfiguration.Invalid(
                    message: "\(file), line \(member.keyPosition.line): unknown key '\(key)'; "
                        + (advice(on: key, named: member.key) ?? "config/fingerpost.yaml lists all keys.")
                )
            }
            return try settings(in: member.value, at: key, of: file)
        }
    }

    /// What to write instead of an unknown key; nil if no key is like it.
    private static func advice(on key: String, named name: String) -> String? {
        let isSecret = ["secret", "accesskey"].contains { name.lowercased().hasPrefix($0) }
        if isSecret, key.hasPrefix("exports.") {
            return "secrets are not in this file: use exports.webhook.secretFile or exports.s3.credentialsFile."
        }
        let near =
            key.nearest(among: ServiceConfiguration.keysAndGroups)
            ?? ServiceConfiguration.keys.first { $0.hasSuffix(".\(name)") }
        return near.map { "did you mean '\($0)'?" }
    }
}
