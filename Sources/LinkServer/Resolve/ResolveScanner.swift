import LinkEvents
import LinkRouting

/// Parses a `POST /resolve` message in the usual form: one link, facts about the caller, ASCII without escapes. It
/// builds no tree, and no string that is not kept.
///
/// Returns nil for everything unusual or invalid. ``ResolveRequest/init(_:)`` then reads the same bytes, and it alone
/// decides what is valid. A message that is parsed here is parsed identically there.
package struct ResolveScanner {
    /// Nesting depth of the objects and lists in a message that is parsed here.
    static let depth = 3

    private let bytes: UnsafeBufferPointer<UInt8>
    /// Index of the first unread byte.
    private var index = 0

    private init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    /// Returns the message; nil if it must be parsed as JSON.
    package static func scan(_ bytes: UnsafeBufferPointer<UInt8>) -> ResolveRequest? {
        var scanner = ResolveScanner(bytes)
        guard let request = scanner.request() else { return nil }
        scanner.skipSpace()
        return scanner.index == bytes.count ? request : nil
    }

    // MARK: Message

    private mutating func request() -> ResolveRequest? {
        var url: String?
        var clientEventID: String?
        var facts: (context: Context, occurredAt: Timestamp?)?
        var purpose: Event.Purpose?
        var environment: EnvironmentID?
        var isExplained: Bool?
        let isRead = members { scanner, key in
            if key.is("url") { return scanner.set(&url) { $0.text() } }
            if key.is("context") { return scanner.set(&facts) { $0.facts() } }
            if key.is("clientEventId") { return scanner.set(&clientEventID) { $0.text() } }
            if key.is("purpose") { return scanner.set(&purpose) { $0.choice() } }
            if key.is("environment") { return scanner.set(&environment) { $0.text().flatMap { EnvironmentID($0) } } }
            if key.is("explain") { return scanner.set(&isExplained) { $0.bool() } }
            return false
        }
        guard isRead, let url, clientEventID.map({ (1...128).contains($0.utf8.count) }) ?? true else { return nil }
        return ResolveRequest(
            ResolveRequest.Link(url: url, clientEventID: clientEventID),
            context: facts?.context ?? Context(),
            environment: environment,
            occurredAt: facts?.occurredAt,
            purpose: purpose ?? .live,
            explanation: isExplained == true ? .included : .omitted
        )
    }

    private mutating func facts() -> (context: Context, occurredAt: Timestamp?)? {
        var context = Context()
        var isInstalled: Bool?
        var languages: [LanguageTag]?
        var occurredAt: Timestamp?
        let isRead = members { scanner, key in
            if key.is("platform") { return scanner.set(&context.platform) { $0.choice() } }
            if key.is("installed") { return scanner.set(&isInstalled) { $0.bool() } }
            if key.is("app") { return scanner.set(&context.app) { $0.text().flatMap { AppID($0) } } }
            if key.is("device") { return scanner.set(&context.device) { $0.choice() } }
            if key.is("osVersion") { return scanner.set(&context.osVersion) { $0.text().flatMap { Version($0) } } }
            if key.is("appVersion") { return scanner.set(&context.appVersion) { $0.text().flatMap { Version($0) } } }
            if key.is("appBuild") { return scanner.set(&context.appBuild) { $0.int() } }
            if key.is("locale") { return scanner.set(&languages) { $0.languages() } }
            if key.is("country") { return scanner.set(&context.country) { $0.text() } }
            if key.is("stickyKey") { return scanner.set(&context.stickyKey) { $0.text() } }
            if key.is("authenticated") { return scanner.set(&context.authenticated) { $0.bool() } }
            if key.is("inAppBrowser") { return scanner.set(&context.inAppBrowser) { $0.bool() } }
            if key.is("occurredAt") { return scanner.set(&occurredAt) { $0.text().flatMap { Timestamp($0) } } }
            return false
        }
        guard isRead else { return nil }
        if let isInstalled { context.installed = isInstalled }
        if let languages { context.locale = languages }
        return (context, occurredAt)
    }

    /// Reads one tag, or a list of tags.
    private mutating func languages() -> [LanguageTag]? {
        guard take(UInt8(ascii: "[")) else { return text().flatMap { LanguageTag($0) }.map { [$0] } }
        var tags: [LanguageTag] = []
        repeat {
            guard let tag = text().flatMap({ LanguageTag($0) }) else { return nil }
            tags.append(tag)
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "]")) ? tags : nil
    }

    /// Reads a value; returns false if it cannot be read here or its key occurs for the second time.
    private mutating func set<Value>(_ value: inout Value?, _ read: (inout Self) -> Value?) -> Bool {
        guard value == nil, let found = read(&self) else { return false }
        value = found
        return true
    }

    // MARK: JSON

    /// Reads an object; `read` consumes the value of each member. Returns false if there is no object or a member is
    /// not read.
    private mutating func members(_ read: (inout Self, Slice<UnsafeBufferPointer<UInt8>>) -> Bool) -> Bool {
        guard take(UInt8(ascii: "{")) else { return false }
        if take(UInt8(ascii: "}")) { return true }
        repeat {
            guard let key = string(), take(UInt8(ascii: ":")), read(&self, key) else { return false }
        } while take(UInt8(ascii: ","))
        return take(UInt8(ascii: "}"))
    }

    private mutating func text() -> String? { string().map { String(decoding: $0, as: UTF8.self) } }

    private mutating func choice<Value: RawRepresentable<String>>() -> Value? { text().flatMap { Value(rawValue: $0) } }

    private mutating func bool() -> Bool? {
        skipSpace()
        if take(word: "true") { return true }
        return take(word: "false") ? false : nil
    }

    /// Reads a non-negative integer of at most 18 digits, which fits into `Int64`.
    private mutating func int() -> Int64? {
        skipSpace()
        let digits = bytes[index...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        guard (1...18).contains(digits.count), digits.count == 1 || digits.first != UInt8(ascii: "0") else {
            return nil
        }
        index = digits.endIndex
        return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }

    /// Reads a string of printable ASCII without escapes.
    private mutating func string() -> Slice<UnsafeBufferPointer<UInt8>>? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = index
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\""):
                defer { index += 1 }
                return bytes[start..<index]
            case UInt8(ascii: "\\"), 0..<0x20, 0x80...: return nil
            default: index += 1
            }
        }
        return nil
    }

    private mutating func take(_ byte: UInt8) -> Bool {
        skipSpace()
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func take(word: StaticString) -> Bool {
        guard bytes[index...].prefix(word.utf8CodeUnitCount).is(word) else { return false }
        index += word.utf8CodeUnitCount
        return true
    }

    private mutating func skipSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
    fileprivate func `is`(_ word: StaticString) -> Bool {
        elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }
}
