import AppAssociation
package import LinkCatalog
package import LinkRouting

/// The cases of a link suite that can be tested on a device with one app, and the others with the reason.
package struct DeviceSuite: Sendable {
    /// The file of the suite, for comments.
    package let file: String
    /// The name of the suite, for the names of types.
    package let name: SourceName
    package let app: RegisteredApp
    package let schemes: [String]
    /// The facts that all cases share.
    package let facts: JSONNode
    package private(set) var cases: [DeviceCase] = []
    package private(set) var untested: [UntestedCase] = []
    /// Domains by host, as the table lists them, for the cases with web links.
    package private(set) var domains: [String: String] = [:]
    /// The states of the app in which each link is opened.
    package var states: [LaunchState]
    /// The screens of the cases, in the order of their names.
    private(set) var namedScreens: [NamedScreen] = []

    /// More tests in one file would exceed what compilers and Android's class files take.
    package static let maximumCases = 300

    /// Why no tests can be generated.
    package struct Refusal: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// Resolves the links with the table, so that the tests expect the table's answers.
    ///
    /// - Parameters:
    ///   - suite: A suite that the table passes.
    ///   - now: The time of cases that name none.
    package init(
        _ suite: LinkSuite,
        file: String,
        of table: PublishedTable,
        app: RegisteredApp,
        now: Timestamp
    ) throws(Refusal) {
        guard suite.cases.count <= Self.maximumCases else {
            throw Refusal(
                description:
                    "\(file) has \(suite.cases.count) cases; split it into suites of at most \(Self.maximumCases)."
            )
        }
        self.file = file
        name = SourceName(suite.name ?? table.tenant.rawValue)
        self.app = app
        states = LaunchState.states(on: app.platform)
        schemes = table.settings.identity.schemes.map(\.name)
        facts = suite.context
        var files = GeneratedAssociationFiles(router: table.router, within: .associationFiles)
        let catalog = Catalog([table])
        for one in suite.cases {
            do throws(Untestable) {
                let case_ = try Self.deviceCase(one, app, catalog, now, &files)
                cases.append(case_)
                if let host = case_.host { domains[host] = table.router.identity.domain(for: host)?.host ?? host }
            } catch {
                untested.append(
                    UntestedCase(link: one.link, line: one.position.line, reason: error.reason)
                )
            }
        }
        guard !cases.isEmpty else {
            let reasons = untested.prefix(3).map { "line \($0.line): \($0.reason)" }.joined(separator: "; ")
            throw Refusal(description: "\(file) has no case that can be tested with the app '\(app.id)': \(reasons).")
        }
        namedScreens = try Self.named(screens)
    }

    private struct Untestable: Error {
        let reason: String
    }

    private static func deviceCase(
        _ one: LinkSuite.Case,
        _ app: RegisteredApp,
        _ catalog: Catalog,
        _ now: Timestamp,
        _ files: inout GeneratedAssociationFiles
    ) throws(Untestable) -> DeviceCase {
        if let other = one.app, other != app.id { throw Untestable(reason: "it is for the app '\(other)'") }
        if let platform = one.context["platform"]?.text, platform != app.platform.rawValue {
            throw Untestable(reason: "it is for the platform '\(platform)'")
        }
        if one.context["installed"]?.bool == false { throw Untestable(reason: "it is for a device without the app") }
        let link: DeepLink
        do throws(DeepLink.Rejection) {
            link = try DeepLink.parse(one.link)
        } catch {
            throw Untestable(reason: "it is not a link: \(error.code.rawValue)")
        }
        var warnings: [String] = []
        // The contexts were parsed with the suite, so parsing cannot fail here.
        var context =
            (try? LinkContext(DocumentField(one.context, path: "context"), warnings: &warnings)) ?? LinkContext()
        context.now = context.now ?? now
        let answer = catalog.resolve(one.link, in: context, explanation: .omitted).resolution
        let text = app.platform == .ios ? link.asciiText : one.link
        if app.platform == .ios, let host = link.host, !text.contains(host) {
            throw Untestable(reason: "iOS may write its host in another way; write the host in Punycode")
        }
        return DeviceCase(
            link: text,
            line: one.position.line,
            host: link.host,
            facts: one.ownContext,
            expected: try expected(answer, isWeb: link.isWeb),
            ways: one.via.map { [$0] } ?? Set(LinkSuite.Via.allCases),
            association: link.host.map { host in
                files.handler(of: one.link, on: host, for: GeneratedAssociationFiles.AppName(app)) == .browser
                    ? .staysInBrowser : .opensApp
            } ?? .opensApp
        )
    }

    private static func expected(_ answer: Resolution, isWeb: Bool) throws(Untestable) -> DeviceCase.Expected {
        switch answer.action {
        case .openApp:
            guard let destination = answer.destination, let screen = destination.screen else {
                throw Untestable(reason: "its destination has no screen")
            }
            return .screen(screen, arguments: JSONNode(.object(destination.arguments.map(\.member))))
        case .signIn: return .screen(DeviceCase.signInScreen, arguments: nil)
        case .updateApp: return .screen(DeviceCase.updateScreen, arguments: nil)
        case .openWeb where isWeb, .openStore where isWeb: return .browser
        case .openWeb, .openStore: throw Untestable(reason: "its destination is not in the app")
        case .block: throw Untestable(reason: "it is blocked, so the app shows nothing")
        case nil: throw Untestable(reason: "it leads nowhere (\(answer.outcome.rawValue))")
        }
    }

    /// The screens of the cases, in the order of their names.
    package var screens: [String] {
        let names = cases.compactMap { one -> String? in
            guard case .screen(let name, _) = one.expected else { return nil }
            return name
        }
        return Set(names.map { ExactText($0) }).sorted().map(\.description)
    }

    /// The screens with their names. Equal names would get numbers that a new screen can move to another one.
    private static func named(_ screens: [String]) throws(Refusal) -> [NamedScreen] {
        var taken: [String: String] = [:]
        return try screens.map { screen throws(Refusal) in
            var name = SourceName(screen)
            // The identifier of the probe and the base type of all pages have these names.
            if ["probe", "screen"].contains(name.lowerCamel.lowercased()) { name = name.followed(by: "2") }
            if let other = taken.updateValue(screen, forKey: name.lowerCamel.lowercased()) {
                throw Refusal(
                    description:
                        "The screens '\(other)' and '\(screen)' would both be named '\(name.lowerCamel)' in the "
                        + "generated code; rename one."
                )
            }
            return NamedScreen(screen: screen, name: SourceName(name.lowerCamel))
        }
    }

    /// A screen with a unique name in generated code.
    struct NamedScreen: Sendable {
        let screen: String
        let name: SourceName

        /// The name of the screen's page object.
        var page: String { name.upperCamel + "Page" }
    }

    /// The page objects by the names of their screens.
    var pages: [ExactText: String] {
        Dictionary(namedScreens.map { (ExactText($0.screen), $0.page) }) { first, _ in first }
    }
}

extension ResolvedDestination.Argument {
    fileprivate var member: JSONNode.Member { JSONNode.Member(name, value.node) }
}

extension ArgumentValue {
    fileprivate var node: JSONNode {
        switch self {
        case .constant(let node): node
        case .parameter(.string(let text)): .string(text)
        case .parameter(.int(let number)): .int(number)
        case .parameter(.number(let lexeme)): JSONNode(.number(lexeme))
        case .parameter(.bool(let flag)): .bool(flag)
        case .parameter(.list(let texts)): .array(texts.map(JSONNode.string))
        }
    }
}
