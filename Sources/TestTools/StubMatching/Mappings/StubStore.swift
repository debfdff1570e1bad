import LinkRouting

/// The stubs of a server in the order in which they are tried: by priority, then the newest first.
///
/// Stubs that name an exact path are found by it, so that a request is compared with few of many stubs.
package struct StubStore: Sendable {
    package struct Entry: Sendable {
        package var stub: StubMapping
        /// Larger for newer stubs.
        package let order: Int
        /// The file that holds the stub, relative to the folder `mappings`.
        package var file: String?

        fileprivate func precedes(_ other: Entry) -> Bool {
            (stub.priority, -order) < (other.stub.priority, -other.order)
        }
    }

    /// The maximum number of stubs of a server.
    package static let maximumCount = 10_000

    /// All stubs, in the order in which they are tried.
    package private(set) var entries: [Entry] = []
    private var byPath: [ExactText: [Entry]] = [:]
    /// The stubs that name no exact path.
    private var others: [Entry] = []
    private var nextOrder = 0

    package init() {}

    package var isEmpty: Bool { entries.isEmpty }
    package var isFull: Bool { entries.count >= Self.maximumCount }

    /// Adds a stub and returns its order.
    @discardableResult
    package mutating func add(_ stub: StubMapping, file: String? = nil) -> Int {
        defer { nextOrder += 1 }
        insert(Entry(stub: stub, order: nextOrder, file: file))
        return nextOrder
    }

    /// Replaces the stub with the same id; it keeps its position among stubs of the same priority. Returns false when
    /// there is none.
    package mutating func replace(with stub: StubMapping) -> Bool {
        guard var entry = entry(stub.id) else { return false }
        entry.stub = stub
        update(entry)
        return true
    }

    package func entry(_ id: String) -> Entry? { entries.first { $0.stub.id == id } }

    /// Replaces the entry of the same order; does nothing when there is none.
    package mutating func update(_ entry: Entry) {
        guard entries.contains(where: { $0.order == entry.order }) else { return }
        remove { $0.order == entry.order }
        insert(entry)
    }

    package mutating func remove(where isRemoved: (Entry) -> Bool) {
        guard entries.contains(where: isRemoved) else { return }
        entries.removeAll(where: isRemoved)
        others.removeAll(where: isRemoved)
        for (key, group) in byPath where group.contains(where: isRemoved) {
            let remaining = group.filter { !isRemoved($0) }
            byPath[key] = remaining.isEmpty ? nil : remaining
        }
    }

    package mutating func removeAll() {
        entries = []
        others = []
        byPath = [:]
    }

    /// The first stub that `isMatch` accepts among those that can match the path.
    package func first(path: String, where isMatch: (StubMapping) throws -> Bool) rethrows -> StubMapping? {
        let exact = byPath[ExactText(path)] ?? []
        var (exactIndex, otherIndex) = (0, 0)
        while exactIndex < exact.count || otherIndex < others.count {
            let entry: Entry
            if otherIndex == others.count
                || (exactIndex < exact.count && exact[exactIndex].precedes(others[otherIndex]))
            {
                entry = exact[exactIndex]
                exactIndex += 1
            } else {
                entry = others[otherIndex]
                otherIndex += 1
            }
            if try isMatch(entry.stub) { return entry.stub }
        }
        return nil
    }

    private mutating func insert(_ entry: Entry) {
        Self.insert(entry, into: &entries)
        guard let (text, _) = entry.stub.request.url.exactText else {
            Self.insert(entry, into: &others)
            return
        }
        let path = text.utf8.firstIndex(of: UInt8(ascii: "?")).map { String(text[..<$0]) } ?? text
        Self.insert(entry, into: &byPath[ExactText(path), default: []])
    }

    private static func insert(_ entry: Entry, into list: inout [Entry]) {
        var (low, high) = (0, list.count)
        while low < high {
            let middle = (low + high) / 2
            if list[middle].precedes(entry) { low = middle + 1 } else { high = middle }
        }
        list.insert(entry, at: low)
    }
}
