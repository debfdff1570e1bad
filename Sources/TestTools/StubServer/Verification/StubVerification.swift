import LinkRouting
package import StubMatching

/// Sends the requests of a folder's stubs to a target, and compares its answers with those of the stubs.
package struct StubVerification: Sendable {
    package struct Options: Sendable {
        /// Sent with each request, for example credentials, which recordings leave out.
        package var requestHeaders: [HeaderField] = []
        /// The headers that are compared if a stub has them, in lower case.
        package var comparedHeaders = StubVerification.headersThatMatter
        /// Members of JSON bodies that are not compared, at any depth.
        package var ignoredFields: Set<String> = []
        package var methods = Methods.all
        /// The maximum time until an answer is complete.
        package var seconds: Int64 = 30

        package init() {}
    }

    package enum Methods: Sendable {
        case all
        /// GET, HEAD and OPTIONS, which change nothing at the target.
        case safe
    }

    /// The headers that change the behaviour of an app. Other headers may differ between equivalent answers.
    package static let headersThatMatter: Set<String> = [
        "allow", "cache-control", "content-disposition", "content-language", "content-type", "link", "location",
        "retry-after", "www-authenticate",
    ]

    private let target: String
    private let folder: StubFolder
    private let stubs: [StubMapping]
    private let options: Options
    private let proxy: StubProxy

    /// Reads the folder. Throws the first problem of its mappings.
    package init(of folder: String, target: String, options: Options) throws(StubStartFailure) {
        self.folder = StubFolder(path: folder)
        self.target = target
        self.options = options
        stubs = try self.folder.recordedStubs()
        var limits = StubLimits()
        limits.proxySeconds = options.seconds
        proxy = StubProxy(limits: limits, reusesConnections: false)
    }

    /// Sends the requests one after the other, because the later ones may depend on the earlier ones.
    package func run() async -> VerificationReport {
        var verified: [VerifiedStub] = []
        for stub in stubs {
            verified.append(await verify(stub))
        }
        await proxy.stop()
        return VerificationReport(target: target, stubs: verified)
    }

    private func verify(_ stub: StubMapping) async -> VerifiedStub {
        let name = stub.name ?? stub.id
        do throws(RecordedExchange.Unusable) {
            let exchange = try RecordedExchange(stub)
            return VerifiedStub(
                name: name,
                method: exchange.method,
                url: exchange.target,
                outcome: await outcome(exchange)
            )
        } catch {
            return VerifiedStub(
                name: name,
                method: stub.request.method,
                url: stub.request.url.source?.text ?? "any URL",
                outcome: .skipped(error.description)
            )
        }
    }

    private func outcome(_ exchange: RecordedExchange) async -> VerifiedStub.Outcome {
        guard options.methods == .all || ["GET", "HEAD", "OPTIONS"].contains(exchange.method) else {
            return .skipped("\(exchange.method) may change the target")
        }
        guard let body = folder.body(of: exchange.stub) else {
            return .skipped("its body file is not in \(folder.files)")
        }
        let overridden = Set(options.requestHeaders.map { $0.name.lowercased() })
        let request = StubRequest(
            id: exchange.stub.id,
            method: exchange.method,
            target: exchange.target,
            host: "",
            port: 0,
            headers: exchange.headers.filter { !overridden.contains($0.name.lowercased()) } + options.requestHeaders,
            body: exchange.body,
            clientAddress: "",
            receivedAt: Timestamp(milliseconds: 0)
        )
        do {
            let answer = try await proxy.send(request, to: target)
            let differences = differences(exchange, body, answer)
            return differences.isEmpty ? .same : .drift(differences)
        } catch {
            return .unanswered("\(error)")
        }
    }

    // MARK: Comparison

    private func differences(
        _ exchange: RecordedExchange,
        _ body: [UInt8],
        _ answer: StubAnswer
    ) -> [VerifiedStub.Difference] {
        let response = exchange.stub.response
        var differences: [VerifiedStub.Difference] = []
        if response.status != answer.status {
            differences.append(
                VerifiedStub.Difference(location: "status", recorded: "\(response.status)", actual: "\(answer.status)")
            )
        }
        for header in response.headers where options.comparedHeaders.contains(header.name.lowercased()) {
            let recorded = header.values.joined(separator: ", ")
            let actual = answer.headers.filter { $0.has(name: header.name) }.map(\.value).joined(separator: ", ")
            guard recorded != actual, !recorded.contains(SecretMask.text) else { continue }
            differences.append(
                VerifiedStub.Difference(
                    location: "header \(header.name)",
                    recorded: JSONDrift.shown(recorded),
                    actual: actual.isEmpty ? "nothing" : JSONDrift.shown(actual)
                )
            )
        }
        guard exchange.method != "HEAD" else { return differences }
        return differences + bodyDifferences(body, answer)
    }

    private func bodyDifferences(_ recorded: [UInt8], _ answer: StubAnswer) -> [VerifiedStub.Difference] {
        let encoding = answer.header("content-encoding") ?? ""
        guard let actual = BodyCoding.decoded(answer.body, encoding) else {
            return [VerifiedStub.Difference(location: "body", recorded: "text", actual: "the encoding '\(encoding)'")]
        }
        guard recorded != actual else { return [] }
        if let recorded = Self.json(recorded), let actual = Self.json(actual) {
            var drift = JSONDrift(ignoring: options.ignoredFields)
            drift.compare(recorded, with: actual)
            return drift.differences
        }
        let lines = [recorded, actual].map { String(decoding: $0, as: UTF8.self).split(separator: "\n") }
        if let index = lines[0].indices.first(where: { $0 >= lines[1].count || lines[0][$0] != lines[1][$0] }) {
            let other = index < lines[1].count ? JSONDrift.shown(String(lines[1][index])) : "nothing"
            return [
                VerifiedStub.Difference(
                    location: "body, line \(index + 1)",
                    recorded: JSONDrift.shown(String(lines[0][index])),
                    actual: other
                )
            ]
        }
        return [
            VerifiedStub.Difference(
                location: "body",
                recorded: "\(recorded.count) bytes",
                actual: "\(actual.count) bytes"
            )
        ]
    }

    private static func json(_ bytes: [UInt8]) -> JSONNode? {
        try? JSONReader.parse(bytes, limits: .stubs, duplicateKeys: .keep)
    }
}
