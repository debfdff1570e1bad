public import LinkRouting

/// The answer of a ``LinkClient`` for a link, without asking the server.
public enum LinkAnswer: Sendable, Hashable {
    /// The table decides the link. The resolution equals the server's.
    case resolved(ResolvedLink)
    /// The server must decide: call ``LinkClient/ask(_:in:)-(String,_)``.
    case undecided(Undecided)

    /// The reason why the server must decide.
    public enum Undecided: Sendable, Hashable, CustomStringConvertible {
        /// There is no usable table yet, because nothing was loaded or none of the tables was accepted. See
        /// ``LinkClientState/problems``.
        case noTable
        /// A route that only the server knows may match.
        case serverRoute
        /// The route that matches needs features that this version of the engine lacks.
        case missingFeatures([String])
        /// This route may match but cannot be read; the second value is the reason. The table is signed, so the program
        /// that signed it has an error.
        case unreadableRoute(RouteID, String)
        /// The condition of this route depends on a fact that only the server knows.
        case serverFact(RouteID)

        public var description: String {
            switch self {
            case .noTable:
                "There is no usable table: nothing was loaded yet, or no table was accepted; see the problems of the "
                    + "client's state. Ask the server."
            case .serverRoute: "A route that only the server knows may match. Ask the server."
            case .missingFeatures(let features):
                "The route needs \(features.joined(separator: ", ")), which this version of the app lacks. Ask the server."
            case .unreadableRoute(let route, let problem):
                "The route '\(route)' cannot be read: \(problem) Ask the server, and tell the team of the table."
            case .serverFact(let route):
                "The route '\(route)' depends on a fact that only the server knows. Ask the server."
            }
        }
    }

    /// The resolution; nil if the server must decide.
    public var resolution: Resolution? {
        guard case .resolved(let link) = self else { return nil }
        return link.resolution
    }
}

/// A resolved link. It has the members of its ``resolution``: `link.action`, `link.destination`.
@dynamicMemberLookup
public struct ResolvedLink: Sendable, Hashable {
    public let url: String
    public let resolution: Resolution
    /// The context in which the link was resolved, with the facts that the client added.
    public let context: LinkContext
    public let source: Source

    /// The source of an answer: the table or the server.
    public enum Source: Sendable, Hashable {
        /// The table of the app, of this version.
        case table(revision: Revision, settingsRevision: Int64)
        /// The server, which has recorded the link. For the action `sign_in`, it gives a token with which
        /// ``LinkClient/resume(_:in:)`` continues after the sign-in.
        case server(revision: Revision?, continuation: String?)
    }

    public subscript<Member>(dynamicMember path: KeyPath<Resolution, Member>) -> Member { resolution[keyPath: path] }
}

/// The result of a link in the app, for ``LinkClient/report(_:_:)``.
public enum LinkResult: Sendable, Hashable {
    /// The app shows the destination.
    case shown
    /// The app could not show it. The reason is a word such as `no_such_screen`, of at most 64 a-z, 0-9, '.', '_' and
    /// '-'. Other text is not reported, because a sentence may contain personal data.
    case failed(String)
}
