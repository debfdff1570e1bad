public import LinkRouting

extension AssociationMigration {
    /// A rule, an entry or an app of the file that the table cannot express, or for which the table differs.
    public struct Report: Sendable, Hashable {
        public let kind: Kind
        /// The JSON pointer of the rule, entry or service in the file (RFC 6901).
        public let pointer: String
        public let position: JSONNode.Position
        /// The application identifier for which both sides were evaluated. The rules may also apply to other apps.
        public let app: String?
        /// The reason for the difference, or the part of the file that was left out.
        public let message: String
        /// The suggested action.
        public let fix: String
        /// A link on which the two sides differ; nil if no difference is known.
        public let example: Example?

        /// A link that was evaluated on both sides.
        public struct Example: Sendable, Hashable {
            public let url: String
            /// Whether iOS opens the app according to the file. The table does the opposite.
            public let iosOpens: Bool
        }

        public enum Kind: String, Sendable, CaseIterable {
            /// The grammar of routes has no pattern for the rule, or no exact one.
            case grammar
            /// A route of a later rule precedes the rule's own routes in the table's order.
            case order
            /// The rule matches only some spellings of a link's characters or escapes. A table matches every spelling.
            case spelling
            /// The settings cannot name the app.
            case app
            /// It would take too long to decide whether both sides agree.
            case undecided
            /// The table as a whole has an error.
            case table
            /// iOS never reaches the rule or entry. It was left out.
            case unreachable
            /// The rule applies only to links with an escaped slash, or the sides differ for such links only.
            case escapedSlash = "escaped_slash"
            /// Apple does not document the effect of such an entry. Like the simulator, the table opens nothing for it.
            case notDocumented = "not_documented"
            /// The generated file lists other apps under `webcredentials`.
            case service
        }

        /// Whether the table differs from iOS, or may differ, for links as programs write them.
        public var isUnresolved: Bool {
            switch kind {
            case .grammar, .order, .spelling, .app, .undecided, .table: true
            case .unreachable, .escapedSlash, .notDocumented, .service: false
            }
        }

        /// The report as JSON:
        /// `{"kind", "unresolved", "pointer", "line", "column", "app", "message", "fix", "url", "ios", "table"}`. The
        /// last three exist only if there is a link; `ios` and `table` are `app` or `browser`.
        public var json: JSONNode {
            func place(_ opens: Bool) -> JSONNode { .string(opens ? "app" : "browser") }
            return .object([
                "kind": .string(kind.rawValue), "unresolved": .bool(isUnresolved), "pointer": .string(pointer),
                "line": .int(position.line), "column": .int(position.column), "app": app.map(JSONNode.string),
                "message": .string(message), "fix": .string(fix), "url": example.map { .string($0.url) },
                "ios": example.map { place($0.iosOpens) }, "table": example.map { place(!$0.iosOpens) },
            ])
        }

        /// The report as one line of text for people.
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
