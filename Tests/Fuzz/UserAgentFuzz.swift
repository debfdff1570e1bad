/// Any User-Agent header is parsed without a trap, and the same text always gives the same result.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzUserAgent(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    precondition(UserAgent(text) == UserAgent(text))
    return 0
}
