@testable import LinkRouting

/// Any bytes are a link or a specific rejection. The link's properties agree with its bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLink(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do throws(DeepLink.Rejection) {
        let link = try DeepLink.parse(bytes)
        check(link)
        check(link.droppingAuthoritySegment())
        let again = try DeepLink.parse(link.text)
        precondition(again == link, "parsing the text of a link gives the link")
    } catch {
        precondition(error.length == bytes.count && (0...bytes.count).contains(error.offset))
        precondition(!error.message.isEmpty)
        precondition((try? DeepLink.parse(bytes)) == nil)
    }
    // Normalising combining accents takes milliseconds, and long names add no coverage.
    if bytes.count <= 24 { _ = try? HostName(String(decoding: bytes, as: UTF8.self)) }
    return 0
}

private func check(_ link: DeepLink) {
    precondition(link.bytes.count <= DeepLink.maximumLength)
    precondition(!link.scheme.isEmpty && (link.host == nil) == !link.isWeb)
    if let host = link.host {
        precondition(!host.isEmpty && host.utf8.count <= 253)
        let ascii = host.utf8.allSatisfy { byte in
            byte >= 0x80 || byte == 0x2D || byte == 0x2E || byte == 0x5F || isDigit(byte)
                || (0x61...0x7A).contains(byte) || (host.hasPrefix("[") && [0x3A, 0x5B, 0x5D].contains(byte))
        }
        precondition(ascii, "a host contains only characters that are safe in a header or file name")
    }
    let parts = [link.rawPath, link.rawQuery, link.rawFragment].compactMap(\.self) + link.query.map(\.raw)
    for range in parts + link.query.map(\.rawName) + link.query.compactMap(\.rawValue) {
        precondition(range.lowerBound >= 0 && range.upperBound <= link.bytes.count)
    }
    var end = link.segments.first?.range.lowerBound ?? 0
    for index in 0..<link.segmentCount {
        precondition(link.segmentRange(index).lowerBound >= end, "segments are in order")
        end = link.segmentRange(index).upperBound
        let text = link.segmentText(index)
        precondition(text != "." && text != ".." && text.utf8.elementsEqual(link.pathBytes[link.segmentRange(index)]))
    }
    precondition(end <= link.pathBytes.count)
    for item in link.query {
        for plus in [DeepLink.PlusSign.plus, .space] {
            let name = link.name(of: item, plus: plus)
            precondition((name == nil) == item.hasInvalidName)
            precondition((link.value(of: item, plus: plus) == nil) == item.hasInvalidValue)
            if let name { precondition(link.matchesName(item, Array(name.utf8), plus: plus)) }
        }
    }
    _ = link.fragment
    _ = link.fragmentPath
}
