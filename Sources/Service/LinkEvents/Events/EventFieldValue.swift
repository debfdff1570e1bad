package import LinkRouting

/// A value of a row of the log.
package enum EventValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case text(String)
    case bytes(Bytes16)
}

/// The type of a field: how its values are stored and exported.
protocol EventFieldValue {
    static var storage: EventColumn.Storage { get }
    static var form: ExportForm { get }

    var value: EventValue { get }
    /// Nil if no field of this type is stored as `value`.
    init?(_ value: EventValue)

    /// The memory that the value takes beside its stride. Allocates nothing.
    var byteCount: Int { get }
}

extension EventFieldValue {
    static var storage: EventColumn.Storage { .shared }
    static var form: ExportForm { .plain }
    var byteCount: Int { 0 }
}

extension Optional: EventFieldValue where Wrapped: EventFieldValue {
    static var storage: EventColumn.Storage { Wrapped.storage }
    static var form: ExportForm { Wrapped.form }

    var value: EventValue { self?.value ?? .null }
    /// An unknown text, such as an action of a later version, becomes nil.
    init?(_ value: EventValue) { self = Wrapped(value) }

    var byteCount: Int { self?.byteCount ?? 0 }
}

// MARK: Texts

extension String: EventFieldValue {
    var value: EventValue { .text(self) }
    init?(_ value: EventValue) {
        guard case .text(let text) = value else { return nil }
        self = text
    }

    var byteCount: Int { utf8.count }
}

extension EventFieldValue where Self: RawRepresentable, RawValue == String {
    var value: EventValue { .text(rawValue) }
    init?(_ value: EventValue) {
        guard case .text(let text) = value else { return nil }
        self.init(rawValue: text)
    }
}

extension Event.Purpose: EventFieldValue {}
extension Event.Kind: EventFieldValue {}
extension Event.AppResult: EventFieldValue {}
extension Event.Agreement: EventFieldValue {}
extension Outcome: EventFieldValue {}
extension Action: EventFieldValue {}
extension Platform: EventFieldValue {}
extension Device: EventFieldValue {}

extension EventFieldValue where Self: Identifier {
    var value: EventValue { .text(rawValue) }
    init?(_ value: EventValue) {
        guard case .text(let text) = value else { return nil }
        self.init(text)
    }

    var byteCount: Int { rawValue.utf8.count }
}

extension EnvironmentID: EventFieldValue {}
extension AppID: EventFieldValue {}
extension RouteID: EventFieldValue {}

extension TenantID: EventFieldValue {
    static var storage: EventColumn.Storage { .key }

    init?(_ value: EventValue) {
        guard case .text(let text) = value else { return nil }
        if text == Self.none.rawValue { self = .none } else { self.init(text) }
    }
}

extension Event.ShortLinkName: EventFieldValue {
    /// There may be millions of codes.
    static var storage: EventColumn.Storage { .row }

    var value: EventValue { .text(text) }
    init?(_ value: EventValue) {
        guard case .text(let text) = value else { return nil }
        self.init(text)
    }

    var byteCount: Int { place.utf8.count + code.utf8.count }
}

extension [Event.QueryItem]: EventFieldValue {
    static var form: ExportForm { .json }

    /// A JSON list of `{"name", "value"}`, so that repeated names keep their order; null if it is empty.
    var value: EventValue {
        guard !isEmpty else { return .null }
        var writer = JSONWriter()
        writer.beginArray()
        for item in self {
            writer.beginObject()
            writer.member("name", item.name)
            writer.member("value", item.value)
            writer.endObject()
        }
        writer.endArray()
        return .text(writer.text)
    }

    init?(_ value: EventValue) {
        switch value {
        case .null: self = []
        case .integer, .bytes: return nil
        case .text(let json):
            guard let node = try? JSONReader.parse(json, limits: JSONReader.Limits(maximumBytes: 1 << 20)) else {
                return nil
            }
            self = (node.elements ?? []).compactMap { item in
                guard let name = item["name"]?.text, let value = item["value"]?.text else { return nil }
                return Event.QueryItem(name: name, value: value)
            }
        }
    }

    var byteCount: Int {
        reduce(0) { $0 + MemoryLayout<Event.QueryItem>.stride + $1.name.utf8.count + $1.value.utf8.count }
    }
}

// MARK: Numbers

extension Int64: EventFieldValue {
    static var storage: EventColumn.Storage { .integer }

    var value: EventValue { .integer(self) }
    init?(_ value: EventValue) {
        guard case .integer(let number) = value else { return nil }
        self = number
    }
}

extension Int: EventFieldValue {
    static var storage: EventColumn.Storage { .integer }

    var value: EventValue { .integer(Int64(self)) }
    init?(_ value: EventValue) {
        guard case .integer(let number) = value else { return nil }
        self.init(exactly: number)
    }
}

extension Revision: EventFieldValue {
    static var storage: EventColumn.Storage { .integer }

    var value: EventValue { .integer(rawValue) }
    init?(_ value: EventValue) {
        guard case .integer(let number) = value else { return nil }
        self.init(rawValue: number)
    }
}

extension Timestamp: EventFieldValue {
    static var storage: EventColumn.Storage { .integer }
    static var form: ExportForm { .time }

    var value: EventValue { .integer(milliseconds) }
    init?(_ value: EventValue) {
        guard case .integer(let number) = value else { return nil }
        self.init(milliseconds: number)
    }
}
