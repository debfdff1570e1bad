import NIOCore
import TestSupport
import Testing

@testable import HTTPTransport

/// Random walks through the states of a connection. Each step is one that the handler can take; after each, the rules
/// hold that no client and no server may break.
struct HTTP1ConnectionWalkTests {
    @Test(arguments: 1...16) func rulesHoldInEveryOrderOfEvents(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<100 {
            var walk = Walk()
            for _ in 0..<Int.random(in: 0..<60, using: &random) where !walk.isClosed { walk.step(&random) }
            walk.settle()
            #expect(walk.broken.isEmpty, "seed \(seed): \(walk.broken) after \(walk.steps)")
        }
    }

    /// The rules can fail: a walk that answers a request twice breaks them.
    @Test func brokenRuleIsReported() {
        var walk = Walk()
        walk.request()
        walk.respond(breaking: true)
        #expect(!walk.broken.isEmpty)
    }
}

private struct Walk {
    private var machine = HTTP1ConnectionStateMachine(limits: ConnectionLimits.sample)
    private var unanswered = 0
    /// Nil between responses; else whether the response announced the end of the connection.
    private var announced: Bool?
    private var finishes = 0
    private var isOutputEnded = false
    private var isInputClosed = false
    private(set) var isClosed = false
    private(set) var steps: [String] = []
    private(set) var broken: [String] = []

    private static let input = ByteBuffer(repeating: UInt8(ascii: "a"), count: 70_000)

    private mutating func check(_ rule: String, _ holds: Bool) { if !holds { broken.append(rule) } }

    private mutating func perform(_ action: HTTP1ConnectionStateMachine.Action) {
        switch action {
        case .none, .failBody: break
        case .waitForRequest: check("only an open connection waits for a request", machine.isOpen)
        case .finish(let refusal, _):
            finishes += 1
            check("a connection finishes once", finishes == 1)
            check("it finishes when all requests are answered", unanswered == 0 || isOutputEnded)
            check("it is closed for input", !machine.isOpen)
            check("a refusal follows no response to the end", refusal == nil || announced == nil || isOutputEnded)
        case .linger:
            check("a connection lingers after its last byte", finishes == 1)
            check("it lingers for a client that may still send", !isInputClosed)
        case .close: isClosed = true
        }
    }

    mutating func step(_ random: inout SeededGenerator) {
        let wasOpen = machine.isOpen
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<6:
            receive(Int.random(in: 0..<16, using: &random) == 0 ? 70_000 : 1 + Int.random(in: 0..<200, using: &random))
        case 6..<9: deliver(&random)
        case 9..<13:
            if announced == nil {
                respond(isDelimited: Int.random(in: 0..<8, using: &random) > 0)
            } else {
                endResponse()
            }
        // The handler sets a deadline only for an open connection.
        case 13 where machine.isOpen:
            note("deadline")
            perform(machine.deadlinePassed(hasSentAll: Bool.random(using: &random)))
        case 14:
            guard !isInputClosed else { return }
            isInputClosed = true
            note("input closed")
            perform(machine.closeInput())
        case 15:
            note("shutdown")
            perform(machine.shutDown(hasSentAll: Bool.random(using: &random)))
        case 16:
            note("error")
            let error: HTTP1ConnectionStateMachine.InputError =
                Bool.random(using: &random) ? .endOfInput : .refusal(Problem(.invalidRequest, "no"))
            if let action = machine.fail(with: error) { perform(action) }
        case 17 where Int.random(in: 0..<4, using: &random) == 0:
            note("output ended")
            isOutputEnded = true
            announced = nil
            perform(machine.endOutput())
        case 18 where finishes > 0:
            note("last byte sent")
            perform(machine.sentLastByte())
        default: break
        }
        check("a connection does not open again", wasOpen || !machine.isOpen)
        check("unanswered requests are bounded", unanswered <= ConnectionLimits.pipelined)
        check("all answers are due or given", machine.hasUnanswered == (unanswered > 0) || isOutputEnded)
        check(
            "nothing is decoded before a response is sent",
            !machine.isOpen || !machine.awaitsResponse || !machine.takesInput(isWritable: true)
        )
    }

    private mutating func note(_ step: String) { steps.append(step) }

    private mutating func receive(_ count: Int) {
        guard !isInputClosed, machine.takesInput(isWritable: true) else { return }
        note("receive \(count)")
        let wasOpen = machine.isOpen
        switch machine.receive(Self.input.readableBytesView.prefix(count)) {
        case .decode: check("a connection that ends decodes nothing", wasOpen)
        case .discard: check("an open connection discards nothing", !wasOpen)
        case .close: isClosed = true
        case .refuse(let problem): perform(machine.refuse(problem))
        }
    }

    /// A part that the decoder finds in what was received.
    private mutating func deliver(_ random: inout SeededGenerator) {
        guard machine.isOpen else { return }
        switch machine.reading {
        case .idle: break
        case .head:
            guard !machine.awaitsResponse else { return }
            note("head")
            unanswered += 1
            _ = machine.receiveHead(
                RequestForm(isHead: (Int.random(in: 0..<100, using: &random) < 20)),
                isLast: Int.random(in: 0..<6, using: &random) == 0
            )
        case .body:
            if Bool.random(using: &random) {
                note("body")
                machine.receiveBody(Int.random(in: 0..<1_000, using: &random))
            } else {
                note("end")
                machine.receiveEnd()
            }
        }
    }

    mutating func request() {
        receive(10)
        unanswered += 1
        _ = machine.receiveHead(RequestForm(), isLast: false)
        machine.receiveEnd()
    }

    mutating func respond(isDelimited: Bool = true, breaking: Bool = false) {
        guard unanswered > 0, !isOutputEnded else { return }
        note("response")
        announced = machine.beginResponse(isDelimited: isDelimited)
        guard breaking else { return }
        _ = machine.endResponse()
        check("all answers are due or given", machine.hasUnanswered == (unanswered > 0))
    }

    private mutating func endResponse() {
        guard let announced else { return }
        note("response ended")
        self.announced = nil
        unanswered -= 1
        let before = finishes
        perform(machine.endResponse())
        check("an announced end follows", !announced || finishes == before + 1 || before > 0)
    }

    /// Answers everything and ends the connection.
    mutating func settle() {
        guard !isClosed else { return }
        note("settle")
        if announced != nil { endResponse() }
        while unanswered > 0, !isOutputEnded {
            respond()
            endResponse()
        }
        perform(machine.drain())
        check("a connection that is drained finishes", finishes == 1)
        perform(machine.sentLastByte())
        guard !isInputClosed, !isClosed else { return }
        for _ in 0...(ConnectionLimits.lingerBytes / 65_536 + 1) where !isClosed { receive(65_536) }
        check("lingering ends after a bounded number of bytes", isClosed)
    }
}
