/// The trace of a unit of work, as defined by https://www.w3.org/TR/trace-context/. It is taken over from the caller,
/// passed on to called servers, and written to the log.
package struct TraceContext: Sendable, Hashable {
    /// The trace of the current task, for log messages and outgoing requests. Not a `ServiceContext`: setting one costs two
    /// allocations for each request.
    @TaskLocal package static var current: TraceContext?

    package let traceID: TraceID
    /// The id of this unit of work; called servers use it as their parent.
    package let spanID: UInt64
    /// The flags sampled (1) and random (2). Unknown flags are cleared.
    package let flags: UInt8
    /// The value of `tracestate`, which is opaque and passed on unchanged.
    package let state: String?

    package init(traceID: TraceID, spanID: UInt64, flags: UInt8 = 0, state: String? = nil) {
        self.traceID = traceID
        self.spanID = spanID
        self.flags = flags
        self.state = state
    }

    /// Parses a caller's headers. Returns nil if `parent` is not a trace context; the caller then starts a new trace.
    ///
    /// For versions above 00, only the fields of version 00 are read, as the recommendation requires. An invalid state
    /// is dropped without rejecting the parent.
    package init?(parent text: some StringProtocol, state: String?) {
        let bytes = Array(text.utf8.prefix(Self.length + 1))
        guard bytes.count >= Self.length, let version = Self.number(bytes[0..<2]), version != 0xFF,
            bytes.count == Self.length || (version > 0 && bytes[Self.length] == UInt8(ascii: "-")),
            [2, 35, 52].allSatisfy({ bytes[$0] == UInt8(ascii: "-") }),
            let high = Self.number(bytes[3..<19]), let low = Self.number(bytes[19..<35]), high | low != 0,
            let span = Self.number(bytes[36..<52]), span != 0, let flags = Self.number(bytes[53..<55])
        else { return nil }
        traceID = TraceID(high: high, low: low)
        spanID = span
        self.flags = UInt8(truncatingIfNeeded: flags) & 0b11
        self.state = state.flatMap { Self.isState($0) ? $0 : nil }
    }

    /// The `traceparent` header: `00-`, trace, span and flags.
    package var parent: String {
        "00-\(traceID)-\(spanID.hexadecimal)-\(flags < 16 ? "0" : "")\(String(flags, radix: 16))"
    }

    /// Returns the context of a child span in the same trace.
    package func child(_ spanID: UInt64) -> TraceContext {
        TraceContext(traceID: traceID, spanID: spanID, flags: flags, state: state)
    }

    /// The headers of an outgoing request.
    package var headers: [(String, String)] {
        [("traceparent", parent)] + (state.map { [("tracestate", $0)] } ?? [])
    }

    private static let length = 55

    /// Parses lower-case hexadecimal digits, at most 16.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }

    /// Whether the text has at most 512 printable ASCII characters and 32 members. Every participant must pass on that
    /// much, and a header can hold it.
    private static func isState(_ text: String) -> Bool {
        (1...512).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            && text.utf8.count { $0 == UInt8(ascii: ",") } < 32
    }
}

/// 16 bytes that are not all zero, written as 32 hexadecimal digits.
package struct TraceID: Sendable, Hashable, CustomStringConvertible {
    package let high: UInt64
    package let low: UInt64

    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    package var description: String { high.hexadecimal + low.hexadecimal }
}

extension UInt64 {
    /// The number as 16 lower-case digits.
    fileprivate var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
