import Foundation
import LinkRouting
import TestSupport
import Testing

/// Every command's help has a description and an example that starts with the command's name.
struct HelpTests {
    /// The root command with its subcommands, as the argument parser describes them.
    private static func root() throws -> JSONNode {
        let tool = RunningServer.products.appending(path: "fingerpost").path
        let dump = try run(tool, ["--experimental-dump-help"])
        let node = try JSONReader.parse(
            String(decoding: dump.output, as: UTF8.self),
            limits: JSONReader.Limits(maximumBytes: 8 << 20)
        )
        return try #require(node["command"])
    }

    @Test func everyCommandHasAnExample() throws {
        var count = 0
        func check(_ command: JSONNode, _ path: [String]) {
            let name = command["commandName"]?.text ?? ""
            guard name != "help" else { return }
            let path = path + [name]
            let discussion = command["discussion"]?.text ?? ""
            #expect(command["abstract"]?.text?.hasSuffix(".") == true, "\(path)")
            #expect(discussion.contains("EXAMPLE") && discussion.contains("fingerpost "), "\(path) has no example")
            // The argument parser breaks longer lines, and a broken command cannot be pasted.
            let long = discussion.split(separator: "\n").filter {
                ($0.hasPrefix("  fingerpost") || $0.hasPrefix("    --")) && $0.count > 80
            }
            #expect(long.isEmpty, "\(long)")
            let children = command["subcommands"]?.elements ?? []
            if children.allSatisfy({ $0["commandName"]?.text == "help" }) {
                #expect(
                    discussion.contains("\(path.joined(separator: " ")) "),
                    "\(path): the example is another command's"
                )
                count += 1
            }
            for child in children { check(child, path) }
        }
        check(try Self.root(), [])
        #expect(count > 25)
    }

    @Test func commandsAreInGroupsBeforeTheExamples() throws {
        let tool = RunningServer.products.appending(path: "fingerpost").path
        let help = String(decoding: try run(tool, ["--help"]).output, as: UTF8.self)
        let parts = ["OVERVIEW: ", "USAGE: fingerpost <subcommand>", "OPTIONS:"]
        let groups = ["RUN", "TABLE", "LINK", "ASSOCIATION", "DATA", "KEY", "TEST"].map { "\($0) SUBCOMMANDS:" }
        let places = (parts + groups + ["EXAMPLES\n", "EXIT CODES\n"]).map { help.firstRange(of: $0)?.lowerBound }
        #expect(!places.contains(nil) && places.compactMap(\.self) == places.compactMap(\.self).sorted(), "\(help)")
        #expect(help.hasSuffix("78 invalid configuration\n"))
        #expect(String(decoding: try run(tool, ["help"]).output, as: UTF8.self) == help)
    }

    /// An export listens on no port. It accepts the flags of `serve`, but does not explain them.
    @Test func exportHasNoAddresses() throws {
        let tool = RunningServer.products.appending(path: "fingerpost").path
        for (command, isShown) in [("export", false), ("serve", true)] {
            let help = String(decoding: try run(tool, [command, "--help"]).output, as: UTF8.self)
            #expect(help.contains("--data") && help.contains("--config"))
            for flag in ["--public", "--admin", "--ops"] {
                #expect(help.contains(flag) == isShown, "\(command) \(flag)")
            }
        }
    }

    /// The table under "Commands" in docs/operations.md lists each command beside the option that it has.
    /// `--server` and `--key` have variables as defaults. The association commands fetch public files, and without
    /// `--server` they read a local file.
    @Test func optionsOfAServerHaveVariables() throws {
        func visit(_ command: JSONNode, _ path: [String]) {
            for child in command["subcommands"]?.elements ?? [] {
                visit(child, path + [child["commandName"]?.text ?? ""])
            }
            var texts: [String: String] = [:]
            for option in command["arguments"]?.elements ?? [] {
                for name in option["names"]?.elements ?? [] {
                    texts[name["name"]?.text ?? ""] = option["abstract"]?.text
                }
            }
            guard let server = texts["server"], path.first != "association" else { return }
            let name = path.joined(separator: " ")
            #expect(server.contains("FINGERPOST_SERVER") || server.contains("FINGERPOST_PUBLIC_SERVER"), "\(name)")
            #expect(texts["key"]?.contains("FINGERPOST_KEY") == true, "\(name)")
        }
        visit(try Self.root(), [])
    }

    @Test func operationsPageNamesTheOptionForTheServer() throws {
        var commands: [String: Set<String>] = [:]
        func visit(_ command: JSONNode, _ path: [String]) {
            let children = (command["subcommands"]?.elements ?? []).filter { $0["commandName"]?.text != "help" }
            for child in children { visit(child, path + [child["commandName"]?.text ?? ""]) }
            guard children.isEmpty else { return }
            let names = (command["arguments"]?.elements ?? []).flatMap { $0["names"]?.elements ?? [] }
            commands[path.joined(separator: " ")] = Set(names.compactMap { $0["name"]?.text })
        }
        visit(try Self.root(), [])
        let file = Repository.file("docs/operations.md")
        let rows = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").filter {
            $0.hasPrefix("| `--data DIR`") || $0.hasPrefix("| `--server ADDRESS`") || $0.hasPrefix("| neither")
        }.map { row in row.split(separator: "|").last?.matches(of: /`([^`]+)`/).map { String($0.output.1) } ?? [] }
        try #require(rows.count == 4)
        func having(_ option: String, _ isMeant: (Set<String>) -> Bool = { _ in true }) -> Set<String> {
            Set(commands.filter { $0.value.contains(option) && isMeant($0.value) }.keys)
        }
        #expect(Set(rows[0]) == having("data"))
        // A command of the admin port needs no table. The commands for signed tables fetch them from the public port.
        let fetching = Set(commands.keys.filter { $0.hasPrefix("table ") })
        #expect(Set(rows[1]) == having("server") { !$0.contains("table") }.subtracting(fetching))
        let asking = having("server") { $0.contains("table") }
        #expect(Set(rows[2]) == asking.union(having("server").intersection(fetching)))
        #expect(Set(rows[3]) == Set(commands.keys).subtracting(having("data")).subtracting(having("server")))
        for row in rows { #expect(Set(row).count == row.count) }
    }
}
