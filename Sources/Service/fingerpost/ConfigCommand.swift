import ArgumentParser
import LinkCatalog
import LinkRouting

struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print the effective configuration as a file; it contains no secrets.",
        discussion: """
            EXAMPLE
              FINGERPOST_PUBLIC_PORT=9000 fingerpost config --config config/fingerpost.yaml
            """
    )

    @OptionGroup var flags: ConfigurationFlags

    func run() async throws {
        let values = try await flags.read().effective.map { (path: $0.key.split(separator: ".")[...], value: $0.value) }
        show(document: try Document.yaml(Self.group(values)))
    }

    /// The object of values whose paths begin there. Values of a group follow each other.
    private static func group(_ values: [(path: ArraySlice<Substring>, value: String)]) -> JSONNode {
        var members: [JSONNode.Member] = []
        var rest = values[...]
        while let first = rest.first, let name = first.path.first {
            let own = rest.prefix { $0.path.first == name }
            rest = rest.dropFirst(own.count)
            let node =
                first.path.count > 1
                ? group(own.map { ($0.path.dropFirst(), $0.value) })
                : JSONNode(Int(first.value) == nil ? .string(first.value) : .number(first.value))
            members.append(JSONNode.Member(String(name), node))
        }
        return JSONNode(.object(members))
    }
}
