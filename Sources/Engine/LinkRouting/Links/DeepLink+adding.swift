extension DeepLink {
    /// Returns the text with further query items in front of the fragment.
    package func text(adding items: [(name: String, value: String)]) -> String {
        guard !items.isEmpty else { return text }
        let end = rawFragment.map { $0.lowerBound - 1 } ?? bytes.endIndex
        var text = Array(bytes[..<end])
        var separator = UInt8(ascii: "?")
        if let rawQuery { separator = rawQuery.isEmpty ? 0 : UInt8(ascii: "&") }
        for item in items {
            if separator != 0 { text.append(separator) }
            appendPercentEncoded(item.name.utf8, to: &text)
            text.append(UInt8(ascii: "="))
            appendPercentEncoded(item.value.utf8, to: &text)
            separator = UInt8(ascii: "&")
        }
        text += bytes[end...]
        return String(decoding: text, as: UTF8.self)
    }
}
