import NIOCore

/// The rules of an HTTP/1 connection (RFC 9112 §9): which input is read, which request is refused, and when the
/// connection ends. It performs no input or output: each method tells its caller what to do.
///
/// The connection ends after a response if the client asked for that, if the request was not read to its end, or if a
/// request was refused here. It ends with a lingering close: the response is sent, further input is discarded up to a
/// bound, and the connection is closed. A refusal is sent after the responses to earlier requests.
///
///     open ──last request, refusal, shutdown──▶ draining ──no unanswered request──▶ finishing ──sent──▶ lingering
struct HTTP1ConnectionStateMachine {
    /// The part of the message that is read next.
    enum Reading: Equatable {
        /// Nothing: the next byte begins a request.
        case idle
        case head, body
    }

    private enum Phase {
        case open
        /// No further input is accepted; accepted requests are answered.
        case draining
        /// The last response is being sent.
        case finishing
        /// The last response is sent; the client gets time to read it.
        case lingering
    }

    /// The next action of the caller.
    enum Action: Equatable {
        case none
        /// Limit the time until the next request begins.
        case waitForRequest
        /// Send the refusal, if there is one, and everything that is buffered; then call ``sentLastByte()``.
        case finish(refusal: Problem?, isHead: Bool)
        case close
        /// Close the output, and discard input for a limited time.
        case linger
        /// Report to the reader of the body that it took too long.
        case failBody
    }

    /// The treatment of input bytes.
    enum Input: Equatable {
        case decode, discard, close
        case refuse(Problem)
    }

    private let limits: ConnectionLimits
    private(set) var reading = Reading.idle
    private var phase = Phase.open
    /// The refusal of a request that is sent after the last response.
    private var refusal: Problem?
    private var unanswered = CircularBuffer<RequestForm>()
    /// Whether the connection ends after the request that is being read.
    private var isLastRequest = false
    private var isInputClosed = false
    /// The first line of the current head: the decoder reports the same error for long targets and long fields.
    private var firstLine = FirstLine()
    /// Input bytes since the head or within the body that have become no part of a request: blanks before a value,
    /// empty lines, chunk extensions. The decoder's limits count only what it understands, and it keeps the rest.
    private var undecoded = 0
    private var discarded = 0

    private struct FirstLine {
        var bytes = 0
        var isComplete = false
        /// Whether the method is HEAD; the decoder does not report the method of a head that it cannot read.
        var isHead = false
    }

    init(limits: ConnectionLimits) { self.limits = limits }

    /// Whether requests are accepted.
    var isOpen: Bool { phase == .open }

    /// Whether a complete request is not answered yet.
    var awaitsResponse: Bool { unanswered.count > (reading == .body ? 1 : 0) }

    /// Whether any request is not answered yet; for tests.
    var hasUnanswered: Bool { !unanswered.isEmpty }

    /// The form of the response that is due.
    var form: RequestForm { unanswered.first ?? RequestForm() }

    /// Length of the first line of the current head, as far as it was read.
    var firstLineBytes: Int { firstLine.bytes }

    /// Whether input is passed to the decoder now. A request is decoded when the one before it is answered and the
    /// client reads its response. Input that is discarded is taken at any time.
    func takesInput(isWritable: Bool) -> Bool {
        !isOpen || !awaitsResponse && (isWritable || reading != .idle)
    }

    /// Whether the socket is read. Input that is discarded is bounded.
    func mayRead(isWritable: Bool) -> Bool {
        isWritable && (discarded <= ConnectionLimits.lingerBytes || phase == .lingering)
    }

    // MARK: Input

    mutating func receive(_ bytes: ByteBufferView) -> Input {
        guard isOpen else {
            discarded += bytes.count
            return phase == .lingering && discarded > ConnectionLimits.lingerBytes ? .close : .discard
        }
        guard undecoded <= ConnectionLimits.overheadBytes else {
            return .refuse(Problem(undecodedOf: reading, limits))
        }
        undecoded += bytes.count
        if reading == .idle {
            reading = .head
            firstLine = FirstLine(isHead: bytes.starts(with: "HEAD ".utf8))
        }
        if reading == .head, !firstLine.isComplete {
            let line = bytes.prefix { $0 != UInt8(ascii: "\n") }.count
            firstLine.bytes += line
            firstLine.isComplete = line < bytes.count
        }
        return .decode
    }

    /// Accepts a decoded head.
    ///
    /// - Parameter isLast: Whether the connection ends after this request.
    /// - Returns: Whether to send `100 Continue` if the client waits for it.
    mutating func receiveHead(_ form: RequestForm, isLast: Bool) -> Bool {
        reading = .body
        undecoded = 0
        unanswered.append(form)
        isLastRequest = isLast || unanswered.count >= ConnectionLimits.pipelined
        return unanswered.count == 1
    }

    mutating func receiveBody(_ bytes: Int) {
        undecoded = max(0, undecoded - ConnectionLimits.overheadPerBodyByte * bytes)
    }

    mutating func receiveEnd() {
        reading = .idle
        firstLine.isHead = false
        undecoded = 0
        if isLastRequest, isOpen { phase = .draining }
    }

    /// Refuses the request whose head is being read.
    mutating func refuse(_ problem: Problem, isHead: Bool? = nil) -> Action {
        if let isHead { firstLine.isHead = isHead }
        refusal = problem
        return drain()
    }

    /// - Returns: Nil if the error concerns the body that is being read, or input that is discarded.
    mutating func fail(with error: InputError) -> Action? {
        guard reading != .body, isOpen else {
            if case .refusal = error, isOpen { phase = .draining }
            return nil
        }
        switch error {
        case .refusal(let problem): return refuse(problem)
        case .endOfInput: return drain()
        }
    }

    /// Why input cannot be decoded.
    enum InputError {
        case refusal(Problem)
        /// The input ends within a request.
        case endOfInput
    }

    /// The client sends nothing more.
    mutating func closeInput() -> Action {
        isInputClosed = true
        // A request whose body is incomplete fails by itself.
        if reading != .body, isOpen { phase = .draining }
        return unanswered.isEmpty ? finish() : .none
    }

    /// Accepts no further request. A request whose body is being read is answered.
    mutating func shutDown(hasSentAll: Bool) -> Action {
        if reading == .body { isLastRequest = true } else if isOpen { phase = .draining }
        guard unanswered.isEmpty else { return .none }
        return hasSentAll ? .close : finish()
    }

    /// Accepts no further input.
    mutating func drain() -> Action {
        if isOpen { phase = .draining }
        return unanswered.isEmpty ? finish() : .none
    }

    /// - Parameter hasSentAll: Whether the client has read everything that was sent.
    mutating func deadlinePassed(hasSentAll: Bool) -> Action {
        switch reading {
        // A client that reads a response slowly may send nothing meanwhile.
        case .idle: hasSentAll ? .close : .waitForRequest
        case .head: refuse(Problem(.requestTimeout, "The request head took longer than \(limits.headSeconds) s."))
        case .body: .failBody
        }
    }

    // MARK: Output

    /// Begins a response and returns whether it is the connection's last.
    ///
    /// - Parameter isDelimited: Whether the client can tell the end of the body while the connection stays open.
    mutating func beginResponse(isDelimited: Bool = true) -> Bool {
        // Nothing is read after a request that is answered before its end.
        if isOpen, !isDelimited || (unanswered.count == 1 && reading == .body) { phase = .draining }
        return !isOpen && unanswered.count == 1 && refusal == nil
    }

    mutating func endResponse() -> Action {
        _ = unanswered.popFirst()
        guard unanswered.isEmpty else { return .none }
        guard isOpen else { return finish() }
        return reading == .idle ? .waitForRequest : .none
    }

    /// No further response follows, even if requests are unanswered.
    mutating func endOutput() -> Action {
        if isOpen { phase = .draining }
        return finish()
    }

    private mutating func finish() -> Action {
        guard phase != .finishing, phase != .lingering else { return .none }
        phase = .finishing
        defer { refusal = nil }
        return .finish(refusal: refusal, isHead: firstLine.isHead)
    }

    /// The client's system has everything that was sent.
    mutating func sentLastByte() -> Action {
        guard phase == .finishing else { return .none }
        phase = .lingering
        return isInputClosed ? .close : .linger
    }
}

/// The properties of a request that determine the form of its response.
struct RequestForm: Equatable {
    /// Whether the request is a HEAD, whose response has no body (RFC 9110 §9.3.2).
    var isHead = false
    /// False for HTTP/1.0, which has no chunked encoding.
    var takesChunks = true
}

extension Problem {
    fileprivate init(undecodedOf reading: HTTP1ConnectionStateMachine.Reading, _ limits: ConnectionLimits) {
        switch reading {
        case .body: self.init(.bodyTooLarge, "The body has too much chunk framing; send larger chunks.")
        case .idle, .head: self.init(headersOver: limits)
        }
    }

    init(targetOf bytes: Int, over limits: ConnectionLimits) {
        self.init(
            .uriTooLong,
            "The request target has \(bytes) bytes; at most \(limits.uriBytes) are allowed."
        )
    }

    init(headersOver limits: ConnectionLimits) {
        self.init(
            .headersTooLarge,
            "The header has more than \(limits.headerFields) fields or more than \(limits.headerBytes) bytes."
        )
    }
}
