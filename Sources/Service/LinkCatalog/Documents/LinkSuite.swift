package import LinkRouting

/// Links and the results expected of them, written by people and run against a table or a server.
package struct LinkSuite: Sendable {
    package var name: String?
    package let tenant: TenantID?
    /// The environments whose tables must pass the suite; nil for all.
    package let environments: Set<EnvironmentID>?
    /// The context that all cases share.
    package let context: JSONNode
    package private(set) var cases: [Case]

    package static let keys = ["formatVersion", "suite", "tenant", "environments", "context", "cases"]

    package struct Case: Sendable {
        package static let keys = ["link", "environments", "context", "app", "via", "expect", "note"]

        package let link: String
        /// The environments in which the case is run; nil for all of the suite's.
        package let environments: Set<EnvironmentID>?
        /// The context object of `POST /resolve`.
        package let context: JSONNode
        /// The part of the context that the case itself names.
        package let ownContext: JSONNode
        package let expectations: [Expectation]
        /// The app that the link is tested for, by its id in the settings.
        package let app: AppID?
        package let via: Via?
        /// Position of the case in its file.
        package let position: JSONNode.Position
    }

    /// The way a link reaches the app.
    package enum Via: String, Sendable, CaseIterable {
        /// Handed over by another app or by code: only the table decides.
        case app
        /// Tapped outside of a browser: the association file decides first.
        case system
        /// Tapped on a web page.
        case page
    }

    /// One expected member of an answer.
    package struct Expectation: Sendable, Hashable {
        package let key: Key
        package let value: JSONNode

        package enum Key: String, Sendable, CaseIterable {
            case outcome, action, tenant, route, parameters, screen, arguments, stack, uri, web, store, data, campaign
            case fallbacks, reason, trace, continuation, experiment
        }
    }

    /// Returns the suite with the cases that the tables of an environment must pass; nil if there are none.
    package func limited(to environment: EnvironmentID) -> LinkSuite? {
        guard environments?.contains(environment) ?? true else { return nil }
        var suite = self
        suite.cases = cases.filter { $0.environments?.contains(environment) ?? true }
        return suite.cases.isEmpty ? nil : suite
    }

    private static let maximumContextBytes = 16_384

    /// Reads `{formatVersion, suite, tenant, environments, context, cases: [{link, environments, context, app, via,
    /// expect}]}`. The members of a case's context override those of the suite's context.
    ///
    /// - Parameter isStored: Whether the suite was accepted before, maybe by an earlier version: it stays readable.
    /// - Throws: `DocumentError`.
    package init(_ text: String, isStored: Bool = false) throws {
        let object = try DocumentField(try Document.read(text), path: "").anyObject()
        try DocumentKind.suite.require(object)
        try object.refuseKeys(besides: Self.keys)
        try RouteTable.requireFormatVersion(of: object)
        name = try object["suite"]?.text()
        tenant = try object["tenant"]?.identifier(TenantID.self)
        let ofSuite = try object["environments"].map(Self.environments)
        environments = ofSuite
        let shared = try object["context"]?.anyObject().field.node.members ?? []
        context = JSONNode(.object(shared))
        if let field = object["context"] {
            // Each case reads it again.
            let bytes = context.json().utf8.count
            guard bytes <= Self.maximumContextBytes else {
                throw field.error(
                    "the context of the suite has \(bytes) bytes; at most \(Self.maximumContextBytes) are allowed. Move "
                        + "the rest to the cases that need it."
                )
            }
            try Self.checkContext(field, isStored)
        }
        var cases: [Case] = []
        for field in try object.required("cases").list() {
            let one = try field.object(Case.keys)
            let own = try one["context"]?.anyObject().field.node.members ?? []
            let context = JSONNode(
                .object(shared.filter { member in !own.contains { $0.key.isExactly(member.key) } } + own),
                at: (one["context"] ?? field).node.position
            )
            try Self.checkContext(DocumentField(context, path: "\(field.path).context"), isStored)
            var expectations: [Expectation] = []
            for (key, value) in try one.required("expect").anyObject().all {
                guard let known = Expectation.Key(rawValue: key) else {
                    let keys = Expectation.Key.allCases.map(\.rawValue)
                    let hint = key.nearest(among: keys).map { "did you mean '\($0)'?" }
                    throw value.error(
                        "'\(key)' is not an expectation; \(hint ?? "use one of: \(keys.joined(separator: ", ")).")"
                    )
                }
                if !isStored { try Self.checkExpectation(known, value) }
                expectations.append(Expectation(key: known, value: value.node))
            }
            guard !expectations.isEmpty else { throw field.error("the case has no expectation; add an outcome.") }
            cases.append(
                Case(
                    link: try one.required("link").text(),
                    environments: try one["environments"].map { try Self.environments($0, within: ofSuite) },
                    context: context,
                    ownContext: JSONNode(.object(own)),
                    expectations: expectations,
                    app: try one["app"]?.identifier(AppID.self),
                    via: try one["via"]?.choice(Via.self),
                    position: field.node.position
                )
            )
        }
        self.cases = cases
    }

    private static func environments(_ field: DocumentField) throws -> Set<EnvironmentID> {
        let environments = try field.list().map { try $0.identifier(EnvironmentID.self) }
        guard !environments.isEmpty else {
            throw field.error("without an environment, this never runs; name one, or remove 'environments' for all.")
        }
        return Set(environments)
    }

    /// Reads the environments of a case.
    private static func environments(
        _ field: DocumentField,
        within suite: Set<EnvironmentID>?
    ) throws -> Set<EnvironmentID> {
        let own = try environments(field)
        guard let suite, let outside = own.subtracting(suite).min(by: { $0.rawValue < $1.rawValue }) else { return own }
        throw field.error("the suite does not run in '\(outside)'; add it to the 'environments' of the suite.")
    }

    /// Throws for an outcome or an action that no answer has.
    private static func checkExpectation(_ key: Expectation.Key, _ value: DocumentField) throws {
        switch key {
        case .outcome: _ = try value.choice(Outcome.self)
        case .action where value.node.value != .null: _ = try value.choice(Action.self)
        default: break
        }
    }

    private static func checkContext(_ field: DocumentField, _ isStored: Bool) throws {
        var warnings: [String] = []
        let context = try LinkContext(field, warnings: &warnings)
        if let warning = warnings.first {
            throw DocumentError(
                path: "",
                position: field.node.position,
                message: "\(warning) In a suite this is an error, not a warning; correct it."
            )
        }
        guard !isStored, let (key, message, fix) = context.unlikelyFact else { return }
        let fact = DocumentField(field.node[key.rawValue] ?? field.node, key.rawValue, of: field.path)
        throw fact.error("\(message) \(fix)")
    }
}

extension LinkSuite.Expectation {
    /// Returns what the answer has instead of the expected value; nil when it matches.
    package func difference(in answer: JSONNode) -> String? {
        let found = found(in: answer)
        switch key {
        case .continuation:
            let isThere = found != nil && found?.value != .null
            return isThere == (value.bool ?? true) ? nil : (isThere ? "there is one" : "there is none")
        case .trace:
            let entries = found?.elements ?? []
            for expected in value.elements ?? [value] where !entries.contains(where: { $0.includes(expected) }) {
                return "no trace entry matches \(expected.json())"
            }
            return nil
        default:
            let expected = value.value == .null ? nil : value
            let actual = found?.value == .null ? nil : found
            guard !(expected.map { want in actual.map { $0.isSame(as: want) } ?? false } ?? (actual == nil)) else {
                return nil
            }
            return "\(actual?.json() ?? Self.absence(in: answer)), expected \(value.json())"
        }
    }

    /// Returns the text for a missing value of an answer, with the reason if the link was rejected.
    private static func absence(in answer: JSONNode) -> String {
        guard answer["outcome"]?.text == "rejected", let reason = answer["reason"]?["code"]?.text else {
            return "nothing"
        }
        let message = answer["reason"]?["message"]?.text.map { ": \($0)" } ?? ""
        return "nothing (the link was rejected, \(reason)\(message))"
    }

    private func found(in answer: JSONNode) -> JSONNode? {
        switch key {
        case .outcome, .action, .tenant, .parameters, .trace, .continuation, .experiment: answer[key.rawValue]
        case .route: answer["route"]?["id"]
        case .reason: answer["reason"]?["code"]
        case .stack where value.elements?.allSatisfy({ $0.text != nil }) == true:
            // A stack given as strings is compared by screen names only.
            answer["destination"]?["stack"]?.elements.map { .array($0.compactMap { $0["screen"] }) }
        case .screen, .arguments, .stack, .uri, .web, .store, .data, .campaign, .fallbacks:
            answer["destination"]?[key.rawValue]
        }
    }
}

extension JSONNode {
    /// Whether both are equal, ignoring the order of object members.
    fileprivate func isSame(as other: JSONNode) -> Bool {
        switch (value, other.value) {
        case (.object(let left), .object(let right)):
            left.count == right.count
                && left.allSatisfy { member in other[member.key].map { member.value.isSame(as: $0) } ?? false }
        case (.array(let left), .array(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
        default: self == other
        }
    }

    /// Whether every member of `part` is here with the same value, recursively.
    fileprivate func includes(_ part: JSONNode) -> Bool {
        guard let members = part.members else { return isSame(as: part) }
        return members.allSatisfy { member in self[member.key].map { $0.includes(member.value) } ?? false }
    }
}
