package import StubMatching

/// The configuration of a stub server.
package struct StubConfiguration: Sendable {
    /// The folder with `mappings` and `__files`; nil for a server without files.
    package var folder: String?
    package var host = "127.0.0.1"
    /// 0 takes any free port.
    package var port = 0
    /// Further hosts under which clients reach the server.
    package var names: [ServerName] = []
    /// A second port with HTTPS; nil for none.
    package var https: HTTPS?
    package var templating = Templating.perStub
    package var journalCount = Journal.defaultMaximumCount
    package var journalBytes = JournalBudget.defaultMaximumBytes
    /// The target of requests that no stub answers; nil for none.
    package var proxyAll: String?
    /// Whether the first request that no stub answers fails the run.
    package var unmatched = UnmatchedRequests.allowed
    package var mask = SecretMask(fields: [])
    /// The effect of an unreadable mapping.
    package var unreadable = UnreadableMappings.stopTheStart
    package var compression = Compression.gzip
    package var crossOrigin = CrossOrigin.asStubsSay
    package var limits = StubLimits()
    package var environment = StubEnvironment()
    /// Called with each line about a probable mistake in a stub.
    package var warn: @Sendable (_ line: String) -> Void = { _ in }
    /// The endpoints that answer requests besides the stubs.
    package var endpoints: (any StubEndpoints)?

    package init() {}

    /// Whether nothing else than stubs answers requests.
    var answersOnlyFromStubs: Bool { proxyAll == nil && endpoints == nil }

    /// The hosts for which the server has a certificate and answers calls of its admin API.
    package var hosts: [ServerName] {
        ([ServerName(host)].compactMap(\.self) + names).reduce(into: ServerName.standard) { hosts, name in
            if !hosts.contains(name) { hosts.append(name) }
        }
    }

    package struct HTTPS: Sendable {
        /// 0 takes any free port.
        package let port: Int
        package let identity: StubIdentity

        package init(port: Int, identity: StubIdentity) {
            self.port = port
            self.identity = identity
        }
    }

    package enum UnmatchedRequests: String, Sendable {
        /// They get a 404 with a table.
        case allowed
        /// The first one becomes the failure of the run. Each answer to such a request names the nearest stub.
        case strict
    }

    package enum Compression: Sendable {
        /// Answers are compressed for clients that accept gzip.
        case gzip
        case off
    }

    package enum CrossOrigin: Sendable {
        /// Pages read an answer if its stub has the headers for it.
        case asStubsSay
        /// Pages of every site read all answers but those of the admin API.
        case allowed
    }

    package enum UnreadableMappings: Sendable {
        case stopTheStart
        /// They are reported and left out.
        case leftOut
    }
}
