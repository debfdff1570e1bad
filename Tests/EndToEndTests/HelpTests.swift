import Foundation
import LinkRouting
import Testing

/// Every command's help has a description and an example that starts with the command's name.
struct HelpTests {
    @Test func everyCommandHasAnExample() throws {
        let tool = RunningServer.products.appending(path: "fingerpost").path
        let dump = try run(tool, ["--experimental-dump-help"])
        let node = try JSONReader.parse(
            String(decoding: dump.output, as: UTF8.self),
            limits: JSONReader.Limits(maximumBytes: 8 << 20)
        )
        var count = 0
        func check(_ command: JSONNode, _ path: [String]) {
            let name = command["commandName"]?.text ?? ""
            guard name != "help" else { return }
            let path = path + [name]
            let discussion = command["discussion"]?.text ?? ""
            #expect(command["abstract"]?.text?.hasSuffix(".") == true, "\(path)")
            #expect(discussion.contains("EXAMPLE") && discussion.contains("fingerpost "), "\(path) has no example")
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
        check(try #require(node["command"]), [])
        #expect(count > 25)
    }
}
