import LinkCatalog
package import LinkRouting

/// A row of an imported file as a link to create.
package struct ImportedLink: Sendable {
    /// The line of the file on which the row begins.
    package let line: Int
    package let json: JSONNode
    /// The short link or code in the file; nil if it has none.
    package let address: ShortAddress?
}

/// A row that is not imported, and why.
package struct ImportFailure: Error, Sendable, Hashable {
    package let line: Int
    /// The header of the wrong cell; nil if the reason names it.
    package let column: String?
    package let reason: String

    package init(line: Int, column: String?, reason: String) {
        self.line = line
        self.column = column
        self.reason = reason
    }

    package var text: String { "line \(line)\(column.map { ", column '\($0)'" } ?? ""): \(reason)" }
}

/// A number of rows, with some of their texts.
package struct Samples: Sendable {
    private static let shown = 5
    private static let length = 60

    package private(set) var rows = 0
    private var texts: [String] = []

    package init() {}

    package mutating func add(_ text: String) {
        rows += 1
        let sample = String(text.prefix(Self.length))
        if texts.count < Self.shown, !texts.contains(sample) { texts.append(sample) }
    }

    /// A count of the rows, such as `2 rows, such as 'a', 'b'`.
    package func counted(_ noun: String) -> String {
        "\(rows) \(noun)\(rows == 1 ? "" : "s"), such as \(texts.map { "'\($0)'" }.joined(separator: ", "))"
    }

    package var json: [JSONNode.Member] {
        [JSONNode.Member("rows", .int(rows)), JSONNode.Member("samples", .array(texts.map(JSONNode.string)))]
    }
}

/// The filled columns that an import does not keep.
package struct LostColumns: Sendable {
    package private(set) var columns: [String] = []
    private var samples: [String: Samples] = [:]

    mutating func add(_ text: String, of column: String) {
        if samples[column] == nil { columns.append(column) }
        samples[column, default: Samples()].add(text)
    }

    package var lines: [String] {
        columns.compactMap { column in samples[column].map { "\(column): \($0.counted("row"))" } }
    }

    package var json: JSONNode {
        .array(
            columns.compactMap { column in
                samples[column].map { JSONNode(.object([JSONNode.Member("column", .string(column))] + $0.json)) }
            }
        )
    }
}

extension ImportedLink {
    /// Reads a row of comma-separated values.
    ///
    /// - Parameter urls: Where the live table follows short links; nil if that is not known.
    init(
        _ cells: [String],
        line: Int,
        _ columns: LinkColumns,
        urls: ShortLinkURLs?,
        _ lost: inout LostColumns
    ) throws(ImportFailure) {
        guard cells.count == columns.headers.count else {
            let reason =
                "the row has \(cells.count == 1 ? "1 cell" : "\(cells.count) cells"), and the header \(columns.headers.count)."
            throw ImportFailure(line: line, column: nil, reason: reason)
        }
        func failure(_ field: LinkField, _ reason: String) -> ImportFailure {
            ImportFailure(line: line, column: columns.header(of: field), reason: reason)
        }
        func cell(_ field: LinkField) -> String? { columns.text(field, in: cells) }
        func lose(_ text: String, _ field: LinkField, _ why: String) {
            lost.add(text, of: "\(columns.header(of: field) ?? field.rawValue)\(why)")
        }
        func shortened(_ field: LinkField) -> String? {
            guard let text = cell(field), let maximum = field.maximumBytes else { return cell(field) }
            let start = text.prefix(bytes: maximum)
            if start != text { lose(text, field, " after \(maximum) bytes") }
            return start
        }

        guard let target = cell(.target) else { throw failure(.target, "the cell is empty; write the link's target.") }
        let scheme = target.prefix(8).lowercased()
        guard scheme.hasPrefix("http://") || scheme.hasPrefix("https://") else {
            throw failure(.target, "'\(target.prefix(80))' is not a link with http:// or https://.")
        }
        let short = cell(.code)
        let address = short.map(ShortAddress.init)
        let code = address.flatMap { urls?.code(at: $0) ?? ShortCode($0.path) }
        guard code != nil || short == nil && !columns.requiresCode else {
            let shown = (short ?? "").prefix(80)
            throw failure(.code, "'\(shown)' is not a code of 1 to 64 letters, digits, '-', '_' and '/'.")
        }
        let expires = cell(.expires)
        let end = expires.flatMap { Timestamp(imported: $0) }
        if let expires, end == nil {
            throw failure(.expires, "'\(expires)' is not a time; write one such as 2027-01-31T18:00:00Z, or a date.")
        }
        let created = cell(.createdAt)
        let createdAt = created.flatMap { Timestamp(imported: $0) }
        if let created, createdAt == nil { lose(created, .createdAt, " in another form") }
        var isArchived = false
        switch cell(.archived)?.lowercased() {
        case nil, "false", "0", "no": break
        case "true", "1", "yes": isArchived = true
        case let other?: throw failure(.archived, "'\(other)' is not true or false.")
        }
        for index in columns.others where !cells[index].isEmpty { lost.add(cells[index], of: columns.headers[index]) }

        var image = cell(.previewImage)
        if let text = image, !text.lowercased().hasPrefix("https://") {
            lose(text, .previewImage, " without https")
            image = nil
        }
        var link = JSONNode.shortLink { field in
            switch field {
            case .code: code?.rawValue
            case .target: target
            // Shlink separates tags by |.
            case .tags: cell(.tags).map { String($0.map { $0 == "|" ? "," : $0 }) }
            case .previewImage: image
            case .expires: end?.description
            case .createdAt: createdAt?.description
            case .archived: isArchived ? "true" : nil
            default: shortened(field)
            }
        }
        // A second run then finds the link that the first run made with a random code.
        if address == nil { link = JSONNode(.object((link.members ?? []) + [JSONNode.Member("reuse", .bool(true))])) }
        self.line = line
        self.address = address
        json = link
    }

    /// A line with a target and nothing else; nil if it is blank.
    package init?(target: some StringProtocol, line: Int) {
        let text = String(target).trimmed
        guard !text.isEmpty else { return nil }
        self.line = line
        address = nil
        json = .object(["target": .string(text), "reuse": .bool(true)])
    }

    /// Reads a line of an export.
    package init(_ bytes: some Collection<UInt8>, line: Int) throws(ImportFailure) {
        let object: JSONNode
        do {
            object = try JSONReader.parse(bytes, limits: JSONReader.Limits(maximumBytes: CSVReader.maximumRow))
        } catch {
            throw ImportFailure(line: line, column: nil, reason: "column \(error.position.column): \(error.message)")
        }
        guard object.members != nil else {
            throw ImportFailure(line: line, column: nil, reason: "\(object.kind) is no link; write an object.")
        }
        self.line = line
        address = object["code"]?.text.map(ShortAddress.init)
        json = object
    }
}

extension Timestamp {
    /// The time in an exported file: RFC 3339, a date, `2021-05-01 12:33:44 UTC`, `2021-05-01 12:33:44 +0000`, or seconds or
    /// milliseconds since 1970.
    fileprivate init?(imported text: String) {
        if let number = Int64(text) {
            // 12 digits are milliseconds: as seconds, they would be after the year 5138.
            let isSeconds = (0..<100_000_000_000).contains(number)
            self.init(milliseconds: isSeconds ? number * 1_000 : number)
            return
        }
        let words = text.split(separator: " ")
        guard words.count <= 3 else { return nil }
        let zone = words.dropFirst(2).first ?? ""
        var time = "\(words.prefix(2).joined(separator: "T"))\(zone == "UTC" ? "Z" : zone)"
        let end = time.suffix(5)
        if end.first == "+" || end.first == "-", Int(end.dropFirst()) != nil {
            time = "\(time.dropLast(2)):\(time.suffix(2))"
        }
        guard let instant = Timestamp(option: time) ?? Timestamp(time + "Z") else { return nil }
        self = instant
    }
}

extension String {
    /// The text without the white space around it.
    var trimmed: String {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return String(self[first...last])
    }

    /// The longest start of at most so many bytes that ends with a whole character.
    fileprivate func prefix(bytes maximum: Int) -> String {
        guard utf8.count > maximum else { return self }
        var start = ""
        for character in self {
            guard start.utf8.count + character.utf8.count <= maximum else { break }
            start.append(character)
        }
        return start
    }
}
