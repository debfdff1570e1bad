import Foundation
import LinkRouting
import ScreenCode
import Testing

/// The generated code is compared with files. `Generated/AwkwardScreen.swift` is also compiled and used here;
/// `./dev check --full TypedScreens` compiles the others.
struct ScreenCodeTests {
    @Test(
        arguments: [
            (ScreenLanguage.swift, "Generated/AwkwardScreen.swift"), (.kotlin, "Expected/AwkwardScreen.kt"),
            (.typescript, "Expected/AwkwardScreen.ts"),
        ]
    )
    func codeIsThatOfTheFile(_ language: ScreenLanguage, _ file: String) throws {
        let expected = try String(contentsOf: Tables.directory.appending(path: file), encoding: .utf8)
        let code = try Tables.code(language, of: try Tables.awkward())
        #expect(
            code == expected,
            "If the change is intended: fingerpost codegen \(language) Tests/Engine/ScreenCodeTests/Expected/awkward.json --package com.example.links --out Tests/Engine/ScreenCodeTests/\(file)"
        )
    }

    @Test(arguments: ScreenLanguage.allCases)
    func codeIsAlwaysTheSame(_ language: ScreenLanguage) throws {
        let codes = try (0..<8).map { _ in try Tables.code(language, of: try Tables.awkward()) }
        #expect(Set(codes).count == 1)
    }

    @Test(
        arguments: [
            // screens, whether Swift and Kotlin and whether TypeScript accept them, the message
            (#"{"item": {}, "Item": {}}"#, false, true, "'Item' and 'item' would both be named 'item'"),
            (#"{"a-b": {}, "a_b": {}}"#, false, true, "screens 'a-b' and 'a_b'"),
            (#"{"A": {"arguments": {"x-y": "int", "xY": "int"}}}"#, false, true, "Screen 'A': The arguments"),
            (#"{"A": {"arguments": {"t": "(x,X)"}}}"#, false, true, "Argument 't' of 'A': The values 'x' and 'X'"),
            (#"{"A": {"arguments": {"bC": "(x)"}}, "AB": {"arguments": {"c": "(x)"}}}"#, false, true, "The types"),
            (#"{"\u00e9": {}, "e\u0301": {}}"#, false, false, "equivalent names"),
            (#"{"Item": {}, "ItemList": {}}"#, true, true, ""),
        ]
    )
    func equalNamesAreReported(
        _ screens: String,
        _ isNamed: Bool,
        _ isQuoted: Bool,
        _ message: String
    ) throws {
        let source = try TenantTable(#"{"table": {"screens": \#(screens), "routes": []}}"#)
        let catalog = ScreenCatalog(tenant: source.tenant, table: source.table)
        for (language, isValid) in [(ScreenLanguage.swift, isNamed), (.kotlin, isNamed), (.typescript, isQuoted)] {
            do throws(ScreenCodeError) {
                _ = try catalog.code(in: language, ScreenCodeOptions(tenant: source.tenant))
                #expect(isValid, "\(language)")
            } catch {
                #expect(!isValid, "\(language): \(error)")
                if language == .swift { #expect(error.description.contains(message), "\(error)") }
            }
        }
    }

    @Test func noTextOfTheTableLeavesItsCommentOrLiteral() throws {
        let source = try Tables.awkward()
        for language in ScreenLanguage.allCases {
            let code = try Tables.code(language, of: source)
            #expect(!code.unicodeScalars.contains { $0.value == 0x2028 || $0.value == 0x202E })
            #expect(!code.contains("a comment: */"))
        }
    }

    @Test func publicCodeHasPublicImports() throws {
        let source = try Tables.awkward()
        let code = try ScreenCatalog(tenant: source.tenant, table: source.table)
            .code(in: .swift, ScreenCodeOptions(tenant: source.tenant, access: .public))
        for line in ["public import LinkRouting\n", "public enum AwkwardScreen: RoutedScreen {\n", "public init("] {
            #expect(code.contains(line))
        }
    }
}

/// The compiled code reads the screens of resolutions.
struct GeneratedScreenTests {
    private static func path(_ link: String) throws -> [AwkwardScreen] {
        try AwkwardScreen.path(of: try resolution(of: link))
    }

    private static func resolution(of link: String) throws -> Resolution {
        let source = try Tables.awkward()
        let router = Router(identity: source.identity, table: source.table)
        return router.resolve(link, in: LinkContext(platform: .ios))
    }

    @Test(
        arguments: [
            ("awkward://", [.home]), ("awkward://nowhere", [.home]),
            ("awkward://list/x/7/a/b", [.home, .list(string: "x", int: 7, list: ["a", "b"])]),
            ("awkward://map", [.map(array: [1, 2.5])]),
            ("awkward://default", [.none, .default(class: "below"), .default(class: "first")]),
            ("awkward://default?n=3", [.none, .default(class: "below"), .default(class: "first", in: 3)]),
            ("awkward://2fa/7", [._2fa(_1: 7, code2: "<7>")]), ("awkward://order/7", [.注文(番号: 7)]),
            ("awkward://sets/2d", [.sets(tab: ._2d, tabs: [.x, .y], rows: [1, 2, .max])]),
        ] as [(String, [AwkwardScreen])]
    )
    func screensAreRead(_ link: String, _ screens: [AwkwardScreen]) throws {
        #expect(try Self.path(link) == screens)
    }

    @Test func uuidIsRead() throws {
        let id = try #require(UUID(uuidString: "6F1C2F0E-6F0C-4D0E-9A0E-1C2D3E4F5A6B"))
        let path = try Self.path("awkward://profile/\(id.uuidString.lowercased())/a/b")
        #expect(path == [.userProfileEdit(userId: id, urlPath: ["a", "b"], since: "2026-02-28")])
    }

    @Test func anyJSONIsRead() throws {
        let value = JSONNode.object(["a": .array([.int(1), .null])])
        #expect(try Self.path("awkward://any") == [.arguments(arguments: value)])
    }

    @Test func answerWithoutAScreenHasNoPath() throws {
        #expect(try AwkwardScreen.path(of: Resolution.rejected(try Self.rejection())) == [])
    }

    private static func rejection() throws -> DeepLink.Rejection {
        try #require(try resolution(of: "no link").rejection)
    }

    @Test(
        arguments: [
            (ResolvedDestination.Screen(name: "Basket", arguments: []), ScreenError.Reason.unknownScreen),
            (.init(name: "path", arguments: []), .missingArgument("of")),
            (
                .init(name: "path", arguments: [.init(name: "of", value: .parameter(.int(1)))]), .mistypedArgument("of")
            ),
            (
                .init(name: "Sets", arguments: [.init(name: "tab", value: .constant(.string("new")))]),
                .mistypedArgument("tab")
            ),
            (
                .init(name: "Map", arguments: [.init(name: "Array", value: .constant(.array([.string("1")])))]),
                .mistypedArgument("Array")
            ),
        ]
    )
    func newerTableIsAnError(_ screen: ResolvedDestination.Screen, _ reason: ScreenError.Reason) {
        #expect(throws: ScreenError(screen: screen.name, reason: reason)) {
            try AwkwardScreen(ScreenArguments(screen))
        }
    }

    @Test(
        arguments: [
            // the stack, and the number of screens of the path
            ([], 1), ([ResolvedDestination.Screen(name: "none", arguments: [])], 2),
            ([.init(name: "none", arguments: []), .init(name: "Home", arguments: [])], 2),
        ]
    )
    func pathEndsWithTheScreen(_ stack: [ResolvedDestination.Screen], _ count: Int) throws {
        let path = try AwkwardScreen.path(of: ResolvedDestination(screen: "Home", stack: stack))
        #expect(path.count == count)
        #expect(path.last == .home)
    }
}
