import LinkRouting

/// The warnings about a message, with a limit, so that a response is not much longer than its request.
struct WarningList {
    private(set) var texts: [String] = []

    static let maximumCount = 20
    /// The maximum length of the name of a member in a warning, in bytes.
    private static let maximumNameBytes = 200

    var isFull: Bool { texts.count >= Self.maximumCount }

    /// Adds warnings until the list is full. The text is not built for a full list.
    mutating func add(_ text: @autoclosure () -> String) {
        if !isFull { texts.append(text()) }
    }

    mutating func add(_ other: WarningList) { add(other.texts) }

    mutating func add(_ others: [String]) { texts += others.prefix(Self.maximumCount - texts.count) }

    /// Adds the warning that a member is not known.
    ///
    /// - Parameters:
    ///   - name: The name as written in the message; a long one is shortened.
    ///   - path: The path of the member's object; empty for the message.
    ///   - known: The names of the known members, one of which may have been meant.
    mutating func addUnknown(
        _ name: @autoclosure () -> String,
        of path: @autoclosure () -> String = "",
        besides known: [String]
    ) {
        guard !isFull else { return }
        let (name, path) = (Self.shortened(name()), path())
        texts.append(ignoredMember(name, at: path.isEmpty ? name : "\(path).\(name)", besides: known))
    }

    /// Returns the name of a member for a message to the caller.
    static func shortened(_ name: String) -> String {
        name.shortened(toBytes: maximumNameBytes)
    }
}
