import NIOCore
import TestSupport
import Testing

@testable import HTTPTransport

/// Every transition of a connection, without a channel.
struct HTTP1ConnectionStateMachineTests {
    typealias Machine = HTTP1ConnectionStateMachine

    private static let limits = ConnectionLimits.sample
    private static let problem = Problem(.invalidRequest, "no")

    private static func machine() -> Machine { Machine(limits: limits) }

    private static func bytes(_ text: String) -> ByteBufferView { ByteBuffer(string: text).readableBytesView }

    private static func bytes(_ count: Int) -> ByteBufferView {
        ByteBuffer(repeating: UInt8(ascii: "a"), count: count).readableBytesView
    }

    /// A machine that has decoded `count` requests.
    private static func received(_ count: Int = 1, isLast: Bool = false) -> Machine {
        var machine = machine()
        for _ in 0..<count {
            _ = machine.receive(bytes("GET / HTTP/1.1\r\n\r\n"))
            _ = machine.receiveHead(RequestForm(), isLast: isLast)
            machine.receiveEnd()
        }
        return machine
    }

    // MARK: open

    @Test func requestIsReadAndAnsweredAndTheNextIsAwaited() {
        var machine = Self.machine()
        #expect(machine.reading == .idle && machine.takesInput(isWritable: true))
        #expect(machine.receive(Self.bytes("GET / HT")) == .decode)
        #expect(machine.reading == .head && !machine.awaitsResponse)
        #expect(machine.receive(Self.bytes("TP/1.1\r\n\r\n")) == .decode)
        #expect(machine.receiveHead(RequestForm(), isLast: false) == true)
        #expect(machine.reading == .body && machine.hasUnanswered && !machine.awaitsResponse)
        machine.receiveEnd()
        #expect(machine.reading == .idle && machine.awaitsResponse && machine.isOpen)
        #expect(!machine.takesInput(isWritable: true))
        #expect(machine.beginResponse() == false)
        #expect(machine.endResponse() == .waitForRequest)
        #expect(machine.takesInput(isWritable: true) && !machine.hasUnanswered)
    }

    @Test func requestBeginsOnlyWhereItsClientReadsResponses() {
        var machine = Self.machine()
        #expect(!machine.takesInput(isWritable: false))
        _ = machine.receive(Self.bytes("GET"))
        #expect(machine.takesInput(isWritable: false))
    }

    @Test func continueIsSentForTheFirstOfPipelinedRequestsOnly() {
        var machine = Self.received()
        #expect(machine.receiveHead(RequestForm(), isLast: false) == false)
    }

    @Test func responsesHaveTheFormOfTheirRequests() {
        var machine = Self.machine()
        let forms = [RequestForm(isHead: true), RequestForm(takesChunks: false), RequestForm()]
        for form in forms {
            _ = machine.receiveHead(form, isLast: false)
            machine.receiveEnd()
        }
        for form in forms {
            #expect(machine.form == form)
            _ = machine.endResponse()
        }
        #expect(machine.form == RequestForm())
    }

    @Test func idleConnectionIsClosed() {
        var machine = Self.machine()
        #expect(machine.deadlinePassed(hasSentAll: true) == .close)
    }

    @Test func idleConnectionWhoseClientStillReadsIsKept() {
        var machine = Self.machine()
        #expect(machine.deadlinePassed(hasSentAll: false) == .waitForRequest)
    }

    @Test func slowHeadIsRefused() {
        var machine = Self.machine()
        _ = machine.receive(Self.bytes("HEAD / H"))
        guard case .finish(let refusal, let isHead) = machine.deadlinePassed(hasSentAll: true) else {
            Issue.record("the connection does not end")
            return
        }
        #expect(refusal?.code == .requestTimeout && isHead)
    }

    @Test func slowBodyIsReportedToItsReader() {
        var machine = Self.machine()
        _ = machine.receive(Self.bytes("POST / HTTP/1.1\r\n\r\n"))
        _ = machine.receiveHead(RequestForm(), isLast: false)
        #expect(machine.deadlinePassed(hasSentAll: true) == .failBody)
        #expect(machine.isOpen)
    }

    // MARK: Limits

    @Test func bytesThatBecomeNoRequestAreLimited() {
        var machine = Self.machine()
        #expect(machine.receive(Self.bytes(ConnectionLimits.overheadBytes + 1)) == .decode)
        guard case .refuse(let problem) = machine.receive(Self.bytes(1)) else {
            Issue.record("it is decoded")
            return
        }
        #expect(problem.code == .headersTooLarge)
    }

    @Test func bodyAllowsBytesAroundIt() {
        var machine = Self.machine()
        _ = machine.receiveHead(RequestForm(), isLast: false)
        for _ in 0..<100 {
            #expect(machine.receive(Self.bytes(ConnectionLimits.overheadPerBodyByte * 1_000)) == .decode)
            machine.receiveBody(1_000)
        }
        while case .decode = machine.receive(Self.bytes(1_000)) {}
        guard case .refuse(let problem) = machine.receive(Self.bytes(1)) else {
            Issue.record("it is decoded")
            return
        }
        #expect(problem.code == .bodyTooLarge)
    }

    @Test func firstLineIsMeasuredAcrossReads() {
        var machine = Self.machine()
        _ = machine.receive(Self.bytes("GET /"))
        _ = machine.receive(Self.bytes("abc\r"))
        _ = machine.receive(Self.bytes("\nHost: a\r\n"))
        #expect(machine.firstLineBytes == 9)
    }

    @Test func pipelinedRequestsAreLimited() {
        var machine = Self.received(ConnectionLimits.pipelined - 1)
        #expect(machine.isOpen)
        _ = machine.receiveHead(RequestForm(), isLast: false)
        machine.receiveEnd()
        #expect(!machine.isOpen)
    }

    // MARK: open → draining

    @Test func connectionEndsAfterTheLastRequest() {
        var machine = Self.received(isLast: true)
        #expect(!machine.isOpen)
        #expect(machine.beginResponse() == true)
        #expect(machine.endResponse() == .finish(refusal: nil, isHead: false))
    }

    @Test func connectionEndsAfterAResponseWithoutAnEnd() {
        var machine = Self.received()
        #expect(machine.beginResponse(isDelimited: false) == true)
        #expect(machine.endResponse() == .finish(refusal: nil, isHead: false))
    }

    @Test func connectionEndsAfterARequestThatWasAnsweredBeforeItsEnd() {
        var machine = Self.machine()
        _ = machine.receiveHead(RequestForm(), isLast: false)
        #expect(machine.beginResponse() == true)
        #expect(!machine.isOpen)
        #expect(machine.receive(Self.bytes("more")) == .discard)
        #expect(machine.endResponse() == .finish(refusal: nil, isHead: false))
    }

    @Test func requestBehindAnUnfinishedOneIsNotTheLast() {
        var machine = Self.received()
        _ = machine.receiveHead(RequestForm(), isLast: false)
        #expect(machine.beginResponse() == false)
        #expect(machine.endResponse() == .none)
        #expect(machine.isOpen)
    }

    @Test func refusalWaitsForEarlierResponses() {
        var machine = Self.received(2)
        #expect(machine.refuse(Self.problem, isHead: true) == .none)
        #expect(machine.beginResponse() == false)
        #expect(machine.endResponse() == .none)
        // The refusal follows, so this response does not announce the end.
        #expect(machine.beginResponse() == false)
        #expect(machine.endResponse() == .finish(refusal: Self.problem, isHead: true))
    }

    @Test func refusalOfTheOnlyRequestIsSentAtOnce() {
        var machine = Self.machine()
        #expect(machine.refuse(Self.problem) == .finish(refusal: Self.problem, isHead: false))
    }

    @Test func errorWithinABodyIsForItsReader() {
        var machine = Self.machine()
        _ = machine.receiveHead(RequestForm(), isLast: false)
        #expect(machine.fail(with: .endOfInput) == nil)
        #expect(machine.isOpen)
        #expect(machine.fail(with: .refusal(Self.problem)) == nil)
        #expect(!machine.isOpen)
    }

    @Test func errorOutsideABodyEndsTheConnection() {
        var machine = Self.machine()
        #expect(machine.fail(with: .refusal(Self.problem)) == .finish(refusal: Self.problem, isHead: false))
        machine = Self.received()
        #expect(machine.fail(with: .endOfInput) == Machine.Action.none)
        #expect(machine.fail(with: .refusal(Self.problem)) == nil)
        #expect(machine.endResponse() == .finish(refusal: nil, isHead: false))
    }

    @Test func endOfInputEndsAnIdleConnection() {
        var machine = Self.machine()
        #expect(machine.closeInput() == .finish(refusal: nil, isHead: false))
    }

    @Test func endOfInputLeavesRequestsToBeAnswered() {
        var machine = Self.received()
        #expect(machine.closeInput() == .none)
        #expect(machine.beginResponse() == true)
        #expect(machine.endResponse() == .finish(refusal: nil, isHead: false))
        #expect(machine.sentLastByte() == .close)
    }

    @Test func endOfInputWithinABodyIsForItsReader() {
        var machine = Self.machine()
        _ = machine.receiveHead(RequestForm(), isLast: false)
        #expect(machine.closeInput() == .none)
        #expect(machine.isOpen)
    }

    @Test(arguments: [true, false])
    func shutdownEndsAnIdleConnection(hasSentAll: Bool) {
        var machine = Self.machine()
        #expect(
            machine.shutDown(hasSentAll: hasSentAll) == (hasSentAll ? .close : .finish(refusal: nil, isHead: false))
        )
    }

    @Test func shutdownLetsARequestBeReadToItsEnd() {
        var machine = Self.machine()
        _ = machine.receiveHead(RequestForm(), isLast: false)
        #expect(machine.shutDown(hasSentAll: true) == .none)
        #expect(machine.isOpen)
        machine.receiveEnd()
        #expect(!machine.isOpen)
        #expect(machine.beginResponse() == true)
        #expect(machine.endResponse() == .finish(refusal: nil, isHead: false))
    }

    @Test func drainingConnectionAcceptsNothingMore() {
        var machine = Self.received()
        #expect(machine.drain() == .none)
        #expect(machine.takesInput(isWritable: false))
        #expect(machine.receive(Self.bytes("GET")) == .discard)
        #expect(machine.reading == .idle)
    }

    // MARK: finishing, lingering

    @Test func discardedInputIsBounded() {
        var machine = Self.received(isLast: true)
        #expect(machine.receive(Self.bytes(ConnectionLimits.lingerBytes + 1)) == .discard)
        // The socket is not read until the response is sent.
        #expect(!machine.mayRead(isWritable: true))
        #expect(machine.endResponse() == .finish(refusal: nil, isHead: false))
        #expect(machine.sentLastByte() == .linger)
        #expect(machine.mayRead(isWritable: true) && !machine.mayRead(isWritable: false))
        #expect(machine.receive(Self.bytes(1)) == .close)
    }

    @Test func connectionFinishesOnce() {
        var machine = Self.machine()
        #expect(machine.endOutput() == .finish(refusal: nil, isHead: false))
        #expect(machine.endOutput() == .none)
        #expect(machine.drain() == .none)
        #expect(machine.closeInput() == .none)
        #expect(machine.sentLastByte() == .close)
        #expect(machine.sentLastByte() == .none)
    }

    @Test func outputEndsThoughRequestsAreUnanswered() {
        var machine = Self.received()
        #expect(machine.endOutput() == .finish(refusal: nil, isHead: false))
    }

    // MARK: All sequences

    /// Whatever happens in whatever order: the connection finishes at most once, never opens again, and what is
    /// discarded is bounded.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func rulesHoldForRandomSequences(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var machine = Self.machine()
        var (finished, wasClosed, sent) = (0, false, 0)
        for _ in 0..<300 {
            var action = Machine.Action.none
            switch Int.random(in: 0..<14, using: &random) {
            case 0...2: _ = machine.receive(Self.bytes(Int.random(in: 0...5_000, using: &random)))
            case 3, 4:
                if machine.isOpen, machine.reading == .head {
                    _ = machine.receiveHead(RequestForm(), isLast: Int.random(in: 0...9, using: &random) == 0)
                }
            case 5, 6: if machine.isOpen, machine.reading == .body { machine.receiveEnd() }
            case 7...9:
                if machine.hasUnanswered, finished == 0 {
                    let isLast = machine.beginResponse()
                    action = machine.endResponse()
                    if isLast { #expect(action == .finish(refusal: nil, isHead: false)) }
                }
            case 10: action = machine.deadlinePassed(hasSentAll: Bool.random(using: &random))
            case 11 where seed % 2 == 0: action = machine.closeInput()
            case 12 where seed % 3 == 0: action = machine.shutDown(hasSentAll: Bool.random(using: &random))
            case 13 where seed % 5 == 0:
                if machine.reading != .body { action = machine.refuse(Self.problem) }
            default: if finished == 1 { action = machine.sentLastByte() }
            }
            if case .finish = action { finished += 1 }
            if action == .linger { sent += 1 }
            if wasClosed { #expect(!machine.isOpen) }
            wasClosed = !machine.isOpen
            #expect(machine.isOpen || machine.takesInput(isWritable: false))
        }
        #expect(finished <= 1 && sent <= 1)
    }
}
