package import LinkRouting

/// A response of `POST /resolve`.
package struct ServerAnswer: Sendable, Hashable {
    package var resolution: Resolution
    /// The id of the recorded event.
    package var id: String?
    /// The tenant that owns the link; nil if no tenant of the server does.
    package var tenant: TenantID?
    package var revision: Revision?
    /// The token with which the app continues after a sign-in.
    package var continuation: String?

    private static let limits = JSONReader.Limits(maximumBytes: 1 << 20, maximumDepth: 64, maximumValues: 100_000)

    /// The subject of a request.
    package enum Subject: Sendable {
        case link(String)
        /// The token of an earlier answer, whose link needed a sign-in.
        case continuation(String)
    }

    /// The request's body.
    package static func request(_ subject: Subject, _ context: LinkContext, environment: EnvironmentID) -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 512)
        writer.beginObject()
        switch subject {
        case .link(let url): writer.member("url", url)
        case .continuation(let token): writer.member("continuation", token)
        }
        writer.member("environment", environment.rawValue)
        writer.key("context")
        // The server uses its own clock.
        var context = context
        context.now = nil
        context.write(to: &writer)
        writer.endObject()
        return writer.finish()
    }

    /// Reads a response.
    ///
    /// - Parameter url: The link of the request.
    package init(_ bytes: [UInt8], to url: String) throws {
        try self.init(DocumentField(try JSONReader.parse(bytes, limits: Self.limits), path: ""), to: url)
    }

    private init(_ document: DocumentField, to url: String) throws {
        let object = try document.anyObject()
        id = try object["id"]?.text()
        tenant = try object["tenant"]?.identifier(TenantID.self)
        revision = try object["revision"]?.int(in: 1...Int64.max).asRevision
        continuation = try object["continuation"]?.anyObject()["token"]?.text()
        // Unknown outcomes and actions have documented meanings.
        resolution = Resolution(outcome: Outcome(rawValue: try object.required("outcome").text()) ?? .fallback)
        resolution.action = try object["action"].map { field throws(DocumentError) in
            Action(rawValue: try field.text()) ?? .openWeb
        }
        if let route = try object["route"]?.anyObject() {
            resolution.route = try route.required("id").identifier(RouteID.self)
            resolution.pattern = try route["pattern"]?.text()
        }
        resolution.parameters = try object["parameters"].map(Self.parameters) ?? []
        resolution.destination = try object["destination"].map(ResolvedDestination.init)
        resolution.app = try object["app"]?.identifier(AppID.self)
        resolution.validFor = Int(try object["validFor"]?.int(in: 0...86_400 * 366) ?? 0)
        if let experiment = try object["experiment"]?.anyObject() {
            resolution.variant = VariantAssignment(
                experiment: try experiment.required("id").text(),
                variant: try experiment.required("variant").text(),
                isAssigned: try experiment["assigned"]?.bool() ?? false
            )
        }
        if resolution.action == .block {
            resolution.blockReason = try object["reason"]?.anyObject()["message"]?.text()
        }
        guard resolution.outcome == .rejected else { return }
        // The parser of the app gives the same reason, with all its details.
        do throws(DeepLink.Rejection) { _ = try DeepLink.parse(url) } catch { resolution.rejection = error }
    }

    /// Reads a response of `POST /_fp/installs`: the link, and its answer. Nil for an installation without a link.
    package static func install(_ bytes: [UInt8]) throws -> (link: String, answer: ServerAnswer)? {
        let object = try DocumentField(try JSONReader.parse(bytes, limits: limits), path: "").anyObject()
        guard let link = try object["link"]?.text(), let answer = object["answer"] else { return nil }
        return (link, try ServerAnswer(answer, to: link))
    }

    private static func parameters(_ field: DocumentField) throws(DocumentError) -> [CapturedParameter] {
        var parameters: [CapturedParameter] = []
        for (name, value) in try field.anyObject().all {
            guard let parameter = ParameterValue(value.node) else {
                throw value.error("\(value.shown) is not the value of a parameter.")
            }
            parameters.append(
                CapturedParameter(name: name, value: parameter, text: parameter.text, location: .unknown)
            )
        }
        return parameters
    }
}

extension Int64 {
    fileprivate var asRevision: Revision { Revision(rawValue: self) }
}

extension ParameterValue {
    /// Nil for null, an object, or a list of anything but strings.
    fileprivate init?(_ node: JSONNode) {
        switch node.value {
        case .string(let text): self = .string(text)
        case .bool(let flag): self = .bool(flag)
        case .number(let lexeme): self = node.int.map { .int($0) } ?? .number(lexeme)
        case .array(let elements):
            let texts = elements.compactMap(\.text)
            guard texts.count == elements.count else { return nil }
            self = .list(texts)
        case .null, .object: return nil
        }
    }

    fileprivate var text: String {
        switch self {
        case .string(let text), .number(let text): text
        case .int(let number): "\(number)"
        case .bool(let flag): "\(flag)"
        case .list(let texts): texts.joined(separator: "/")
        }
    }
}

extension ResolvedDestination {
    fileprivate init(_ field: DocumentField) throws(DocumentError) {
        let object = try field.anyObject()
        self.init(
            screen: try object["screen"]?.text(),
            arguments: try object["arguments"].map(Self.arguments) ?? [],
            uri: try object["uri"]?.text(),
            web: try object["web"]?.text(),
            store: try object["store"]?.text(),
            data: object["data"]?.node,
            campaign: try object["campaign"]?.text()
        )
        for field in try object["stack"]?.list() ?? [] {
            let screen = try field.anyObject()
            stack.append(
                Screen(
                    name: try screen.required("screen").text(),
                    arguments: try screen["arguments"].map(Self.arguments) ?? []
                )
            )
        }
        for field in try object["fallbacks"]?.list() ?? [] {
            fallbacks.append(Action(rawValue: try field.text()) ?? .openWeb)
        }
    }

    private static func arguments(_ field: DocumentField) throws(DocumentError) -> [Argument] {
        try field.anyObject().all.map { name, value in
            Argument(name: name, value: ParameterValue(value.node).map { .parameter($0) } ?? .constant(value.node))
        }
    }
}
