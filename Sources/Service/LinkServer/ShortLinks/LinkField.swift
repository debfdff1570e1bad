/// What a column of an imported file holds. The raw value is its name in `--columns`.
package enum LinkField: String, CaseIterable, Sendable {
    case target, code, title, note, tags, expires, createdAt, archived
    case source = "utm_source"
    case medium = "utm_medium"
    case campaign = "utm_campaign"
    case term = "utm_term"
    case content = "utm_content"
    case previewTitle = "preview_title"
    case previewDescription = "preview_description"
    case previewImage = "preview_image"

    /// Files whose columns have names of their own.
    package enum Origin: String, CaseIterable, Sendable {
        case firebase
    }

    /// The names of the column, best first, as ``name(of:)`` returns them: our own, and those in the exports of Bitly,
    /// Branch, Dub, Firebase, Kutt and Shlink. `url` and `link` are the target in some exports and the short link in
    /// others: a better name decides.
    var names: [String] {
        let others: [String] =
            switch self {
            case .target:
                ["longurl", "destinationurl", "destination", "desktopurl", "canonicalurl", "deeplink", "url"]
            case .code:
                // Branch leaves the alias of a random link empty, so the whole short link comes before it.
                ["shortcode", "slug", "key", "address", "shortlink", "shorturl", "bitlink", "link", "url", "alias"]
            case .title: ["linktitle", "marketingtitle", "linkname", "name"]
            case .note: ["notes", "comments", "description"]
            case .expires: ["expiresat", "expirein", "validuntil"]
            case .createdAt: ["created", "datecreated", "creationtime", "creationdate"]
            case .archived: ["isarchived"]
            case .source: ["channel"]
            case .medium: ["feature"]
            case .campaign: ["campaign"]
            case .previewTitle: ["ogtitle", "socialtitle", "socialmetatagtitle", "st"]
            case .previewDescription: ["ogdescription", "socialdescription", "socialmetatagdescription", "sd"]
            case .previewImage:
                ["ogimageurl", "ogimage", "socialimagelink", "socialimageurl", "socialmetatagimagelink", "si", "image"]
            case .tags, .term, .content: []
            }
        return [Self.name(of: rawValue)] + others
    }

    /// The maximum size of the text; longer ones are shortened. Nil if a shorter text would be another one.
    var maximumBytes: Int? {
        switch self {
        case .title, .previewTitle, .source, .medium, .campaign, .term, .content: 200
        case .previewDescription: 1_000
        case .note: 2_000
        default: nil
        }
    }

    /// The letters and digits of a column's header in lowercase, so that `Short Link` is `short_link`.
    package static func name(of header: String) -> String { header.lowercased().filter { $0.isLetter || $0.isNumber } }
}

/// The columns of a file, by the names in its header.
package struct LinkColumns: Sendable {
    package let headers: [String]
    /// Whether each row must have a code; otherwise, a row without one gets a random code.
    let requiresCode: Bool
    private let indices: [LinkField: Int]
    /// The indices of the columns that no field uses.
    let others: [Int]

    /// - Parameter named: The headers that the user chose.
    package init(_ headers: [String], named: [LinkField: String] = [:], origin: LinkField.Origin? = nil)
        throws(UnreadableLinks)
    {
        self.headers = headers
        let names = headers.map(LinkField.name)
        var indices: [LinkField: Int] = [:]
        for (field, header) in named {
            guard let index = headers.firstIndex(of: header) ?? names.firstIndex(of: LinkField.name(of: header)) else {
                throw .other("the file has no column '\(header)'; it has \(headers.quoted).")
            }
            indices[field] = index
        }
        for field in LinkField.allCases where indices[field] == nil {
            let free = names.indices.filter { !indices.values.contains($0) }
            // The target's parameter of a long Dynamic Link.
            let known = field.names + (field == .target && origin == .firebase ? ["link"] : [])
            indices[field] = known.lazy.compactMap { name in free.first { names[$0] == name } }.first
        }
        requiresCode = origin != nil
        let required: [LinkField] = requiresCode ? [.target, .code] : [.target]
        if let missing = required.first(where: { indices[$0] == nil }) {
            throw .noColumn(missing, headers: headers)
        }
        self.indices = indices
        others = headers.indices.filter { !indices.values.contains($0) }
    }

    /// The header of a field's column.
    package func header(of field: LinkField) -> String? { indices[field].map { headers[$0] } }

    /// The text of a field in one line, without the white space around it; nil if it is empty.
    func text(_ field: LinkField, in cells: [String]) -> String? {
        guard let index = indices[field] else { return nil }
        let text = CSVText.cell(cells[index].trimmed)
        guard field != .note, text.contains(where: \.isNewline) else { return text.isEmpty ? nil : text }
        return String(text.map { $0.isNewline ? " " : $0 })
    }
}

/// Why a file of links cannot be read as a whole.
package enum UnreadableLinks: Error {
    /// Each link needs the field, and no name in the header is known as that of its column.
    case noColumn(LinkField, headers: [String])
    case other(String)

    package var reason: String {
        switch self {
        case .noColumn(let field, let headers):
            "the header has no known name for the \(field.rawValue); call its column '\(field.rawValue)'. The header has "
                + "\(headers.quoted)."
        case .other(let reason): reason
        }
    }
}

extension [String] {
    /// The texts such as `'a', 'b'`.
    package var quoted: String { map { "'\($0)'" }.joined(separator: ", ") }
}
