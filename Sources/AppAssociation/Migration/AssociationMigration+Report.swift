public import LinkRouting

extension AssociationMigration {
    /// A rule, an entry or an app of the file that the table does not say, or says otherwise.
    public struct Report: Sendable, Hashable {
        public let kind: Kind
        /// Of the rule, entry or service in the file (RFC 6901).
        public let pointer: String
        public let position: JSONNode.Position
        /// The application identifier for which both sides were asked; rules may be those of more apps.
        public let app: String?
        /// Why the two differ, or what was left out.
        public let message: String
        /// What to do.
        public let fix: String
        /// On which the two differ; nil where no difference is known.
        public let example: Example?

        /// A link that was put to both sides.
        public struct Example: Sendable, Hashable {
            public let url: String
            /// Whether iOS opens the app by the file; the table does the opposite.
            public let iosOpens: Bool
        }

        public enum Kind: String, Sendable, CaseIterable {
            /// The grammar of routes has no pattern, or not exactly the one, for the rule.
            case grammar
            /// A route of a later rule comes first in the table's order.
            case order
            /// The rule takes only links that are written with escapes or characters of which tables take every spelling.
            case spelling
            /// The settings cannot name the app.
            case app
            /// Whether both sides agree would take too long to tell.
            case undecided
            /// The table as a whole has an error.
            case table
            /// iOS never gets to the rule or entry; it was left out.
            case unreachable
            /// The rule says something only of links with an escaped slash, or differs for them alone.
            case escapedSlash = "escaped_slash"
            /// Apple does not say what such an entry does; like the simulator, the table opens nothing for it.
            case notDocumented = "not_documented"
        }

        /// Whether the table answers otherwise than iOS, or may do so, for links as programs write them.
        public var isUnresolved: Bool {
            switch kind {
            case .grammar, .order, .spelling, .app, .undecided, .table: true
            case .unreachable, .escapedSlash, .notDocumented: false
            }
        }

        /// `{"kind", "unresolved", "pointer", "line", "column", "app", "message", "fix", "url", "ios", "table"}`; the last
        /// three, `app` or `browser`, only where there is a URL.
        public var json: JSONNode {
            func place(_ opens: Bool) -> JSONNode { .string(opens ? "app" : "browser") }
            return .object([
                "kind": .string(kind.rawValue), "unresolved": .bool(isUnresolved), "pointer": .string(pointer),
                "line": .int(position.line), "column": .int(position.column), "app": app.map(JSONNode.string),
                "message": .string(message), "fix": .string(fix), "url": example.map { .string($0.url) },
                "ios": example.map { place($0.iosOpens) }, "table": example.map { place(!$0.iosOpens) },
            ])
        }

        /// One line for people.
        public var line: String {
            let place = position.line > 0 ? "\(position.line):\(position.column): " : ""
            let severity = isUnresolved ? "error" : "info"
            let example = example.map {
                " \($0.url): iOS \($0.iosOpens ? "opens the app" : "stays in the browser"), the table "
                    + "\($0.iosOpens ? "stays in the browser" : "opens the app")."
            }
            return "\(place)\(severity) \(kind.rawValue) \(pointer): \(message)\(example ?? "") \(fix)"
        }
    }
}
