package import LinkRouting
import LinkServer

/// A resolution as lines for people: the route, the screen, and the destination on each platform.
package struct ResolutionText {
    /// A context and the answer for it.
    package struct Landing {
        /// For example `ios` or `ios, no app`.
        let name: String
        let answer: JSONNode

        package init(name: String, answer: JSONNode) {
            self.name = name
            self.answer = answer
        }

        /// Returns the name of a context with these facts.
        package static func name(of platform: Platform, isInstalled: Bool) -> String {
            let name = platform == .other ? "elsewhere" : platform.rawValue
            return isInstalled ? name : "\(name), no app"
        }
    }

    private let answer: JSONNode
    private let landings: [Landing]
    private let route: Route?

    /// The maximum number of near misses; --json prints all of them.
    private static let near = 5

    /// - Parameters:
    ///   - answer: The answer for the caller's context, as in `POST /resolve`.
    ///   - landings: The answers for other contexts.
    ///   - route: The route that the answer names.
    package init(_ answer: JSONNode, landings: [Landing], route: Route? = nil) {
        self.answer = answer
        self.landings = landings
        self.route = route
    }

    package var lines: [String] {
        var rows: [[String]] = []
        func row(_ name: String, _ text: String?) {
            if let text { rows.append(["  \(name)", text]) }
        }
        row("changed by", answer["reading"]?.elements?.compactMap(\.text).map { "links.\($0)" }.joined(separator: ", "))
        row("parameters", Self.list(answer["parameters"]))
        row("follows", follows)
        let destination = answer["destination"]
        row("screen", destination.flatMap(Self.screen))
        row("data", destination?["data"]?.json())
        for part in route.map({ InstallText($0, answer).rows }) ?? [] { row(part.name, part.text) }
        row("continuation", answer["action"]?.text == "sign_in" ? "after signing in" : nil)
        row("click", ended.map { "gets status 410: \($0)" })
        for landing in landings where !["rejected", "undecided"].contains(answer["outcome"]?.text) {
            guard ended == nil || landing.answer["action"]?.text == "open_app" else { continue }
            row(landing.name, effect(of: landing.answer))
        }
        return [headline] + TextColumns(rows, others: .left).lines + nearRoutes + warnings
    }

    private var headline: String {
        let outcome = answer["outcome"]?.text ?? ""
        guard let route = answer["route"], let id = route["id"]?.text else {
            return [outcome, LinkEffect(answer).reason].compactMap(\.self).joined(separator: ": ")
        }
        return "\(outcome): route '\(id)', \(route["pattern"]?.text ?? "")"
    }

    /// What the route follows. Only a server does, so that a file has no destination.
    private var follows: String? {
        guard answer["outcome"]?.text == "undecided", case .follow(let follow)? = route?.behaviour else { return nil }
        let text = answer["parameters"]?[follow.parameter].map { $0.text ?? $0.json() } ?? ""
        return switch follow {
        case .shortLinks: "the short link '\(text)', whose target is on the server; use --server"
        case .parameter: "the link '\(text)', if the server may lead there; use --server"
        }
    }

    /// Why nobody may follow the short link any more. Only an app that is installed gets the fallback.
    private var ended: String? {
        let codes = ["link_expired", "link_archived", "link_blocked"]
        return codes.contains(answer["reason"]?["code"]?.text ?? "") ? LinkEffect(answer).reason : nil
    }

    /// Returns the effect of the link for a person with this context.
    private func effect(of landing: JSONNode) -> String {
        let text = LinkEffect(landing).text
        let own = landing["route"]?["id"]?.text
        guard own != answer["route"]?["id"]?.text else { return text }
        return "\(own.map { "route '\($0)'" } ?? landing["outcome"]?.text ?? "no route"): \(text)"
    }

    /// The nearest misses, which the trace lists first.
    private var nearRoutes: [String] {
        guard let trace = answer["trace"]?.elements, !trace.isEmpty else { return [] }
        let rows = trace.prefix(Self.near).map { ["  \($0["route"]?.text ?? "")", LinkEffect.mismatch($0)] }
        let more = trace.count > Self.near ? ["  … and \(trace.count - Self.near) more; --json prints all"] : []
        return ["routes that do not match:"] + TextColumns(rows, others: .left).lines + more
    }

    private var warnings: [String] {
        (answer["warnings"]?.elements ?? []).compactMap(\.text).map { "warning: \($0)" }
    }

    /// A screen with its arguments, below the screens under it: `Home > Item(id: 7)`.
    private static func screen(_ destination: JSONNode) -> String? {
        guard let name = destination["screen"]?.text else { return nil }
        let stack = destination["stack"]?.elements ?? []
        let own = call(.object(["screen": .string(name), "arguments": destination["arguments"]]))
        var calls = stack.map(call)
        // A stack may end with the screen itself.
        if calls.last != own { calls.append(own) }
        return calls.joined(separator: " > ")
    }

    private static func call(_ screen: JSONNode) -> String {
        (screen["screen"]?.text ?? "") + (list(screen["arguments"]).map { "(\($0))" } ?? "")
    }

    private static func list(_ object: JSONNode?) -> String? {
        guard let members = object?.members, !members.isEmpty else { return nil }
        return members.map { "\($0.key): \($0.value.text ?? $0.value.json())" }.joined(separator: ", ")
    }
}
