import Foundation
import LinkRouting
import TestSupport
import Testing

/// The examples of the documentation compile and do what the text says. The code between `// snippet` and `// end` is
/// the same, line by line, as the Swift blocks of the article `ResolveALinkInYourApp.md`.
struct DocumentationExampleTests {
    @Test func articleShowsTheSnippets() throws {
        let snippets = try Document.snippets()
        let blocks = try Document.article.blocks("swift")
        // Blocks that need SwiftUI do not compile everywhere.
        let compared = blocks.filter { !$0.hasPrefix("import SwiftUI\n") }
        #expect(blocks.count == compared.count + 1)
        try #require(compared.count == 4)
        for (name, block) in zip(["load", "resolve", "arguments", "explain"], compared) {
            #expect(snippets[name] == block, "The article's block differs from the snippet '\(name)'.")
        }
    }

    @Test(
        arguments: [
            // link, version of the app, whether the user is signed in, decision
            ("shop://product/42", "2.1", true, .show([home, product])),
            ("https://go.example.com/product/42", "2.1", false, .show([home, product])),
            ("https://go.example.com/product/42", "1.9", true, .openStore("https://apps.apple.com/app/id123456789")),
            ("https://go.example.com/product/abc", "2.1", true, .show([home])),
            ("shop://orders/A-7", "2.1", true, .show([order])),
            ("shop://orders/A-7", "2.1", false, .signIn([order])),
            ("https://go.example.com/legal/terms", "2.1", true, .openPage("https://www.example.com/legal/terms")),
            ("https://go.example.com/account/delete", "2.1", true, .refuse("A link cannot delete an account.")),
            ("https://www.elsewhere.example/", "2.1", true, .ignore),
            ("no link", "2.1", true, .ignore),
        ] as [(String, String, Bool, LinkDecision)]
    )
    func resolverDecides(_ url: String, _ appVersion: String, _ isSignedIn: Bool, _ decision: LinkDecision) throws {
        let resolver = try Self.resolver()
        #expect(resolver.decision(for: url, appVersion: appVersion, isSignedIn: isSignedIn) == decision)
    }

    @Test func screenReadsItsArguments() {
        #expect(AppScreen(Self.home) == .home)
        #expect(AppScreen(Self.product) == .product(id: 42))
        #expect(AppScreen(Self.order) == .order(number: "A-7"))
        #expect(AppScreen(ResolvedDestination.Screen(name: "Product", arguments: [])) == nil)
        #expect(AppScreen(ResolvedDestination.Screen(name: "Basket", arguments: [])) == nil)
    }

    @Test func explanationNamesTheMismatch() throws {
        let resolver = try Self.resolver()
        let lines = resolver.explanation(of: "https://go.example.com/product/abc")
        #expect(lines.first == "product: type: expected int, found abc")
        #expect(lines.count == 4)
        #expect(resolver.explanation(of: "no link").count == 1)
    }

    private static let home = ResolvedDestination.Screen(name: "Home", arguments: [])
    private static let product = ResolvedDestination.Screen(
        name: "Product",
        arguments: [ResolvedDestination.Argument(name: "id", value: .parameter(.int(42)))]
    )
    private static let order = ResolvedDestination.Screen(
        name: "Order",
        arguments: [ResolvedDestination.Argument(name: "number", value: .parameter(.string("A-7")))]
    )

    private static func resolver() throws -> LinkResolver {
        let (settings, table) = try documents()
        return try LinkResolver(settings: settings, table: table)
    }

    /// The settings and the table of the article.
    private static func documents() throws -> (settings: [UInt8], table: [UInt8]) {
        let blocks = try Document.article.blocks("json")
        try #require(blocks.count == 2)
        return (Array(blocks[0].utf8), Array(blocks[1].utf8))
    }
}

// snippet load
/// Resolves the tenant's links on the device.
struct LinkResolver {
    let router: Router

    /// Reads the settings and the table, each the UTF-8 bytes of a JSON document.
    init(settings: some Collection<UInt8>, table: some Collection<UInt8>) throws {
        let limits = JSONReader.Limits(maximumBytes: 4 << 20)
        let identity = try Identity(
            DocumentField(JSONReader.parse(settings, limits: limits), path: "settings").anyObject()
        )
        let routes = try RouteTable(DocumentField(JSONReader.parse(table, limits: limits), path: "table"))
        router = Router(identity: identity, table: routes)
    }
}
// end

// snippet resolve
/// What the app does with a link.
enum LinkDecision: Equatable {
    /// Show the last screen, with the others beneath it.
    case show([ResolvedDestination.Screen])
    /// Sign in, then show the screens.
    case signIn([ResolvedDestination.Screen])
    case openPage(String)
    case openStore(String)
    /// The link must not do what it asks for; the text says why.
    case refuse(String)
    /// The link is malformed, or it is not one of the tenant's.
    case ignore
}

extension LinkResolver {
    func decision(for url: String, appVersion: String, isSignedIn: Bool) -> LinkDecision {
        let context = LinkContext(platform: .ios, appVersion: Version(appVersion), authenticated: isSignedIn)
        let resolution = router.resolve(url, in: context)
        guard let action = resolution.action else { return .ignore }
        let destination = resolution.destination
        switch action {
        case .openApp: return .show(screens(of: destination))
        case .signIn: return .signIn(screens(of: destination))
        case .openWeb: return destination?.web.map(LinkDecision.openPage) ?? .ignore
        case .openStore, .updateApp: return destination?.store.map(LinkDecision.openStore) ?? .ignore
        case .block: return .refuse(resolution.blockReason ?? "")
        }
    }

    /// Returns the destination's screens, from the bottom up.
    private func screens(of destination: ResolvedDestination?) -> [ResolvedDestination.Screen] {
        guard let destination, let screen = destination.screen else { return [] }
        guard destination.stack.isEmpty else { return destination.stack }
        return [ResolvedDestination.Screen(name: screen, arguments: destination.arguments)]
    }
}
// end

// snippet arguments
/// A screen of the app, with the values that it needs.
enum AppScreen: Hashable {
    case home
    case product(id: Int64)
    case order(number: String)

    /// Nil for a screen that this version of the app does not have.
    init?(_ screen: ResolvedDestination.Screen) {
        func value(_ name: String) -> ArgumentValue? { screen.arguments.first { $0.name == name }?.value }
        switch screen.name {
        case "Home":
            self = .home
        case "Product":
            guard case .parameter(.int(let id))? = value("id") else { return nil }
            self = .product(id: id)
        case "Order":
            guard case .parameter(.string(let number))? = value("number") else { return nil }
            self = .order(number: number)
        default:
            return nil
        }
    }
}
// end

// snippet explain
extension LinkResolver {
    /// Returns one line for each route that does not match, the closest one first.
    func explanation(of url: String) -> [String] {
        let resolution = router.resolve(url, in: LinkContext(platform: .ios), explanation: .included)
        if let rejection = resolution.rejection { return [rejection.message] }
        return (resolution.trace?.entries ?? []).map { entry in
            "\(entry.route): \(entry.failed.rawValue): expected \(entry.expected), found \(entry.found ?? "nothing")"
        }
    }
}
// end

/// A Markdown file of the repository, and the snippets of this file.
private struct Document {
    static let article = Document(path: "Sources/Engine/LinkRouting/LinkRouting.docc/ResolveALinkInYourApp.md")

    let path: String

    /// Returns the contents of the fenced blocks in a language.
    func blocks(_ language: String) throws -> [String] {
        let root = Repository.folder
        let lines = try String(contentsOf: root.appending(path: path), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        return Self.sections(of: lines, from: "```\(language)", to: "```").map(\.text)
    }

    /// Returns the snippets of this file by name.
    static func snippets() throws -> [String: String] {
        let lines = try String(contentsOf: URL(filePath: #filePath), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false)
        let sections = sections(of: lines, from: "// snippet ", to: "// end")
        return Dictionary(uniqueKeysWithValues: sections.map { ($0.name, $0.text) })
    }

    /// Returns the lines between a line that begins with `start` and the next line `end`, without the indentation of
    /// the first. The name is the rest of the first line.
    private static func sections(
        of lines: [Substring],
        from start: String,
        to end: String
    ) -> [(name: String, text: String)] {
        var sections: [(name: String, text: String)] = []
        var indentation = 0
        var isInside = false
        for line in lines {
            let text = line.drop { $0 == " " }
            if isInside, text == end {
                isInside = false
            } else if isInside {
                sections[sections.count - 1].text += "\(line.dropFirst(indentation))\n"
            } else if text.hasPrefix(start) {
                isInside = true
                indentation = line.count - text.count
                sections.append((String(text.dropFirst(start.count)), ""))
            }
        }
        return sections
    }
}
