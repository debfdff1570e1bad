import LinkServer
import StubMatching
import Synchronization

/// Collects the links that one request asks about.
final class RequestLinks: Sendable {
    /// The links of the request of the current task.
    @TaskLocal static var current: RequestLinks?

    /// The maximum number of links of a batch, and of events of an app's message.
    private static let maximumCount = 100

    private let links = Mutex<[(link: ObservedLink, hasShortLinks: Bool)]>([])

    /// - Parameter hasShortLinks: Whether the file of the link's tenant has short links.
    func append(_ link: ObservedLink, hasShortLinks: Bool) {
        links.withLock { links in
            if links.count < Self.maximumCount { links.append((link, hasShortLinks)) }
        }
    }

    var records: [LinkRecord] {
        let links = links.withLock(\.self)
        // The explanations of a large batch would fill the journal.
        let explained = links.count <= 10 ? links.count : 0
        return links.enumerated().map {
            $1.link.record(isExplained: $0 < explained, hasShortLinks: $1.hasShortLinks)
        }
    }
}
