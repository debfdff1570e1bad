/// Appends a URL and percent-encodes the characters that RFC 3986 allows in no URL.
func appendURLText(_ text: some Sequence<UInt8>, to url: inout [UInt8]) {
    appendPercentEncoded(text, besides: "%:/?#@!$&'()*+,;=", to: &url)
}

/// Appends `text`, percent-encoding everything except RFC 3986's unreserved characters and those in `besides`.
package func appendPercentEncoded(
    _ text: some Sequence<UInt8>,
    besides: StaticString = "",
    to url: inout [UInt8]
) {
    let isDone: Void? = text.withContiguousStorageIfAvailable { appendPercentEncoded($0, besides, to: &url) }
    guard isDone == nil else { return }
    Array(text).withUnsafeBufferPointer { appendPercentEncoded($0, besides, to: &url) }
}

private func appendPercentEncoded(
    _ text: UnsafeBufferPointer<UInt8>,
    _ besides: StaticString,
    to url: inout [UInt8]
) {
    let besides = UnsafeBufferPointer(start: besides.utf8Start, count: besides.utf8CodeUnitCount)
    var run = 0
    for index in text.indices {
        let byte = text[index]
        guard !isPlain(byte), byte != UInt8(ascii: "~"), !besides.contains(byte) else { continue }
        url.append(contentsOf: text[run..<index])
        url.append(UInt8(ascii: "%"))
        url.append(hexDigit(byte >> 4))
        url.append(hexDigit(byte & 15))
        run = index + 1
    }
    url.append(contentsOf: text[run...])
}

private func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + (value - 10)
}

extension [UInt8] {
    /// Appends the UTF-8 of a text, with a single copy if its storage is contiguous.
    mutating func append(utf8Of text: String) {
        let isDone: Void? = text.utf8.withContiguousStorageIfAvailable { append(contentsOf: $0) }
        guard isDone == nil else { return }
        append(contentsOf: Array(text.utf8))
    }
}
