import HTTPTypes
import LinkRouting
import TestSupport

/// A random history of a tenant's short links on real files. Each answer is compared with the model's.
struct ShortLinkHistory {
    struct Difference: Error, CustomStringConvertible {
        let description: String
    }

    private static let stepsEach = 40
    private static let codes = ["a", "b", "c", "D", "e-5", "f_6"]
    private static let settings = """
        domains: [go.acme.test, {host: www.acme.test, serves: association}]
        destinations: {hosts: [www.acme.test, pages.acme.test]}
        """

    private let seed: UInt64
    private let folder: String
    private var random: SeededGenerator
    private let clock = TestClock()
    private var model = ShortLinkModel()
    /// The state of the last backup, if there is one.
    private var backup: (path: String, model: ShortLinkModel)?
    private var transcript: [String] = []
    private var steps = 0
    private(set) var answers = 0
    private(set) var counts = 0

    init(seed: UInt64, in folder: String) {
        self.seed = seed
        self.folder = folder
        random = SeededGenerator(seed: seed)
    }

    /// How the next service finds its files.
    private enum End: Sendable { case over, killed, restored }

    mutating func run() async throws {
        var number = 0
        var end = End.killed
        while end != .over {
            let path = "\(folder)/\(number)"
            number += 1
            if end == .restored, let backup {
                try ShortLinkFiles.restore(backup.path, to: path)
                model = backup.model
            }
            let next = "\(folder)/\(number)"
            end = try await ShortLinkFiles.open(path, clock) { files, session in
                if steps == 0 { try await begin(session) }
                try await compareAll(session)
                while steps < Self.stepsEach {
                    steps += 1
                    switch random.below(100) {
                    case 0..<4:
                        transcript.append("kill")
                        try files.copy(to: next)
                        return .killed
                    case 4..<7:
                        transcript.append("back up")
                        backup = ("\(folder)/backup-\(steps)", model)
                        try files.backUp(to: "\(folder)/backup-\(steps)", at: clock.now)
                    case 7..<10 where backup != nil:
                        transcript.append("restore")
                        return .restored
                    default: try await step(session)
                    }
                    try await follow(pick(Self.codes + ["none"]), session)
                }
                try await compareAll(session)
                return .over
            }
        }
    }

    // MARK: Steps

    private mutating func begin(_ session: AdminSession) async throws {
        try expect(try await session.put("settings", yaml: Self.settings), 201, "settings")
        try await publish(.whole, session)
    }

    private mutating func step(_ session: AdminSession) async throws {
        let code = pick(Self.codes)
        switch random.below(90) {
        case 0..<24: try await create(code, session)
        case 24..<38: try await edit(code, session)
        case 38..<50: try await setStatus(of: code, session)
        case 50..<60: try await importSome(session)
        case 60..<68: try await publish(pick(ShortLinkModel.Table.allCases), session)
        case 68..<76:
            let hours = Int64(1 + random.below(30))
            transcript.append("\(hours) hours pass")
            clock.advance(seconds: hours * 3_600)
        default: break
        }
    }

    private mutating func create(_ code: String, _ session: AdminSession) async throws {
        let content = randomContent()
        let answer = try await session.post("short-links", #"{"code":"\#(code)",\#(content.members)}"#)
        let isAllowed = content.target.isAllowed(in: model.table)
        let expected = !isAllowed ? 422 : model.links[code] == nil ? 201 : 409
        try expect(answer, expected, "create \(code) \(content)")
        if expected == 201 { model.links[code] = ShortLinkModel.Link(content: content, tag: answer["ETag"]) }
    }

    private mutating func edit(_ code: String, _ session: AdminSession) async throws {
        guard let link = model.links[code], let tag = link.tag else { return }
        let content = randomContent()
        guard content.target.isAllowed(in: model.table) else { return }
        let stale = chance(30) ? link.staleTag : nil
        let answer = try await session.send(
            .put,
            "short-links/\(code)",
            "{\(content.members)}",
            headers: [.ifMatch: stale ?? tag]
        )
        try expect(answer, stale == nil ? 200 : 412, "edit \(code) \(content)\(stale == nil ? "" : ", stale")")
        guard stale == nil else { return }
        model.links[code]?.content = content
        note(answer["ETag"], of: code)
    }

    private mutating func setStatus(of code: String, _ session: AdminSession) async throws {
        guard model.links[code] != nil else { return }
        let action = chance(20) ? "block" : pick(["archive", "restore"])
        let body = action == "block" ? #"{"reason":"Phishing"}"# : ""
        let answer = try await session.post("short-links/\(code)/\(action)", body)
        try expect(answer, 200, "\(action) \(code)")
        model.links[code]?.change(by: action)
        note(answer["ETag"], of: code)
    }

    private mutating func importSome(_ session: AdminSession) async throws {
        var lines: [String] = []
        for _ in 0...random.below(4) {
            let (code, content, isArchived) = (pick(Self.codes), randomContent(), chance(25))
            lines.append(#"{"code":"\#(code)",\#(content.members)\#(isArchived ? #","archived":true"# : "")}"#)
            guard content.target.isAllowed(in: model.table), model.links[code] == nil else { continue }
            model.links[code] = ShortLinkModel.Link(content: content, status: isArchived ? "archived" : "active")
        }
        // A broken line does not prevent the others.
        if chance(30) { lines.insert(#"{"code":"a b"}"#, at: random.below(lines.count)) }
        let answer = try await session.post(
            "short-links",
            lines.joined(separator: "\n"),
            headers: [.contentType: "application/x-ndjson"]
        )
        try expect(answer, 200, "import \(lines)")
        guard answer.text.split(separator: "\n").count == lines.count else {
            throw difference("the import answers \(answer.text)")
        }
    }

    private mutating func publish(_ table: ShortLinkModel.Table, _ session: AdminSession) async throws {
        guard steps == 0 || table != model.table else { return }
        try expect(try await session.put("draft", yaml: table.yaml), 200, "draft \(table)")
        try expect(try await session.post("draft/publish"), 201, "publish \(table)")
        model.table = table
    }

    // MARK: Comparing

    /// Resolves and clicks a short link.
    private mutating func follow(_ code: String, _ session: AdminSession) async throws {
        let expected = model.answer(code, at: clock.now)
        let resolved = try await session.service.resolve(
            #"{"url":"https://go.acme.test/s/\#(code)","context":{"platform":"ios"}}"#
        )
        model.count(code)
        let clicked = try await session.service.publicPort(
            .get,
            "/s/\(code)",
            host: "go.acme.test",
            headers: [.userAgent: "Mozilla/5.0 (Windows NT 10.0; Win64; x64)"]
        )
        model.count(code)
        let (json, outcome) = (resolved.json, resolved.json?["outcome"]?.text ?? resolved.text)
        let reason = json?["reason"]?["code"]?.text
        let answer = ShortLinkModel.Answer(
            outcome: outcome,
            route: outcome == "matched" && reason == nil ? json?["route"]?["id"]?.text : nil,
            reason: reason,
            clickStatus: clicked.status,
            location: clicked["Location"]
        )
        answers += 2
        guard answer == expected else { throw difference("\(code) answers \(answer), not \(expected)") }
    }

    /// Compares all links and their counts.
    private mutating func compareAll(_ session: AdminSession) async throws {
        for code in Self.codes {
            try await follow(code, session)
            let shown = try await session.get("short-links/\(code)")
            guard let link = model.links[code] else {
                try expect(shown, 404, "show \(code)")
                continue
            }
            try expect(shown, 200, "show \(code)")
            note(shown["ETag"], of: code)
            counts += 1
            guard shown.json?["target"]?.text == link.content.target.text,
                shown.json?["status"]?.text == link.shownStatus(at: clock.now),
                shown.json?["clicks"]?["total"]?.int == link.clicks
            else { throw difference("\(code) is \(shown.text), not \(link)") }
        }
    }

    private mutating func note(_ tag: String?, of code: String) {
        let last = model.links[code]?.tag
        guard let tag, tag != last else { return }
        model.links[code]?.staleTag = last
        model.links[code]?.tag = tag
    }

    private mutating func expect(_ answer: TestResponse, _ status: Int, _ step: String) throws {
        transcript.append("\(step) -> \(answer.status)")
        guard answer.status == status else { throw difference("the model answers \(status), not \(answer.text)") }
    }

    private func difference(_ text: String) -> Difference {
        Difference(description: "history \(seed): \(text), after\n" + transcript.map { "  \($0)\n" }.joined())
    }

    // MARK: Chance

    private mutating func randomContent() -> ShortLinkModel.Content {
        let number = random.below(12)
        let targets: [ShortLinkModel.Target] = [.item(number), .item(number), .blog(number), .page(number)]
        let refused: [ShortLinkModel.Target] = [.shortLink, .foreign]
        let expires = Timestamp(milliseconds: clock.now.milliseconds + Int64(1 + random.below(40)) * 3_600_000)
        return ShortLinkModel.Content(
            target: chance(10) ? pick(refused) : pick(targets),
            source: chance(40) ? "mail" : nil,
            expires: chance(30) ? expires : nil
        )
    }

    private mutating func pick<Element>(_ elements: [Element]) -> Element { elements[random.below(elements.count)] }
    private mutating func chance(_ percent: Int) -> Bool { random.below(100) < percent }
}

extension SeededGenerator {
    fileprivate mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &self) }
}
