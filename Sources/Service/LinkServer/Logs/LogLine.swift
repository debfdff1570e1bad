import LinkEvents
import LinkRouting
import Logging

/// One log message, formatted as a single line in either format.
struct LogLine {
    private let instant: Timestamp
    private let level: Logger.Level
    private let message: String
    /// The metadata, sorted by name; no name occurs twice.
    private let members: [(key: String, value: Logger.MetadataValue)]

    private static let longestText = 2_048
    private static let mostMembers = 40
    private static let deepest = 4
    private static let ownNames: Set<String> = ["ts", "level", "msg"]

    init(at instant: Timestamp, _ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) {
        self.instant = instant
        self.level = level
        self.message = message.utf8Prefix(Self.longestText)
        members = Self.members(metadata)
    }

    private static func members(_ metadata: Logger.Metadata) -> [(key: String, value: Logger.MetadataValue)] {
        var named: [String: Logger.MetadataValue] = [:]
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
            let name = key.utf8Prefix(64).snakeCase
            named[ownNames.contains(name) ? name + "_" : name] = value
        }
        return named.sorted { $0.key < $1.key }.prefix(mostMembers).map { (key: $0.key, value: $0.value) }
    }

    // MARK: JSON

    var json: [UInt8] {
        var writer = JSONWriter(reservingCapacity: 256)
        writer.beginObject()
        writer.member("ts", instant.description)
        writer.member("level", level.rawValue)
        writer.member("msg", message.unbroken)
        for (key, value) in members {
            writer.key(escaping: key)
            Self.write(value, to: &writer, depth: 1)
        }
        writer.endObject()
        writer.endLine()
        return writer.finish()
    }

    private static func write(_ value: Logger.MetadataValue, to writer: inout JSONWriter, depth: Int) {
        switch value {
        case .string(let text): writer.string(text.utf8Prefix(longestText).unbroken)
        case .stringConvertible(let value):
            switch value {
            case let number as Int: writer.int(number)
            case let number as Int64: writer.int(number)
            case let number as Double where number.isFinite: writer.number("\(number)")
            case let flag as Bool: writer.bool(flag)
            default: writer.string("\(value)".utf8Prefix(longestText).unbroken)
            }
        case .array(let values) where depth < deepest:
            writer.beginArray()
            for value in values.prefix(mostMembers) { write(value, to: &writer, depth: depth + 1) }
            writer.endArray()
        case .dictionary(let metadata) where depth < deepest:
            writer.beginObject()
            for (key, value) in members(metadata) {
                writer.key(escaping: key)
                write(value, to: &writer, depth: depth + 1)
            }
            writer.endObject()
        case .array, .dictionary: writer.string("…")
        }
    }

    // MARK: Text

    /// The time in UTC, the level, the message, then `name=value`; for a response, ``response``.
    var text: [UInt8] {
        let name = level.rawValue
        var line = "\(clock) "
        if let response {
            line += level > .info ? "\(name) \(response)" : response
        } else {
            line += "\(name)\(String(repeating: " ", count: max(0, 8 - name.count))) \(message.printable)"
            for (key, value) in members { line += Self.member(key, value) }
        }
        line += "\n"
        return Array(line.utf8)
    }

    /// The time of the day, such as `10:00:00`.
    private var clock: Substring { instant.description.dropFirst(11).prefix(8) }

    private static func member(_ key: String, _ value: Logger.MetadataValue) -> String {
        let text = "\(value)".utf8Prefix(longestText)
        return " \(key)=\(text.needsQuotes ? "\"\(text.printable)\"" : text)"
    }

    /// A response in short: `POST /resolve 200 4.4ms shop/product matched`. A refused request also has the code of its
    /// problem, and its id. Nil for other messages.
    private var response: String? {
        let values = Dictionary(members.map { ($0.key, $0.value) }) { first, _ in first }
        guard case .string("request")? = values["event"] else { return nil }
        func text(_ key: String) -> String? { values[key].map { "\($0)".printable } }
        let time = text("dur_ms").flatMap(Double.init).map { "\(($0 * 10).rounded() / 10)ms" }
        let owner = [text("tenant"), text("route_id")].compactMap(\.self).joined(separator: "/")
        let parts = [text("method"), text("route"), text("status"), time, owner, text("outcome"), text("code")]
        let line = parts.compactMap { $0?.isEmpty == false ? $0 : nil }.joined(separator: " ")
        guard level > .info || values["code"] != nil, let id = values["request_id"] else { return line }
        return line + Self.member("request_id", id)
    }
}

extension String {
    /// The name in snake_case: `export.rows` and `exportRows` become `export_rows`. Every character that is neither a
    /// letter nor a digit becomes an underscore.
    fileprivate var snakeCase: String {
        var name = ""
        for scalar in unicodeScalars {
            switch scalar {
            case "A"..."Z":
                if let last = name.utf8.last, last != UInt8(ascii: "_") { name += "_" }
                name.unicodeScalars.append(Unicode.Scalar(UInt8(truncatingIfNeeded: scalar.value) + 32))
            case "a"..."z", "0"..."9": name.unicodeScalars.append(scalar)
            default: name += "_"
            }
        }
        return name.isEmpty ? "_" : name
    }

    /// The text without characters that are valid in JSON but that some readers take for the end of a line, or some
    /// terminals for a command.
    fileprivate var unbroken: String {
        guard utf8.contains(where: { $0 >= 0x7F }) else { return self }
        return String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    scalar.value >= 0x7F && scalar.isUnsafeToDisplay ? "\u{FFFD}" : scalar
                }
            )
        )
    }

    fileprivate var needsQuotes: Bool {
        isEmpty
            || !unicodeScalars.allSatisfy {
                !$0.isUnsafeToDisplay && $0 != " " && $0 != "\"" && $0 != "=" && $0 != "\\"
            }
    }

    /// The text with everything escaped that a terminal obeys, or that ends a line or a quotation.
    fileprivate var printable: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            default: text += scalar.escapeForTerminal ?? String(scalar)
            }
        }
    }
}
