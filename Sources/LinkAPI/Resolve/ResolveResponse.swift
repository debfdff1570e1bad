package import LinkCatalog
package import LinkEvents
package import LinkRouting

/// One result of `POST /resolve`, as JSON. The command line writes the same for an offline resolution, without `id`,
/// `recorded` and `continuation`.
package struct ResolveResponse: Sendable {
    package var answer: CatalogResolution
    /// Id of the recorded event; nil offline.
    package var id: RecordedID?
    /// Whether the event is in the log; nil offline.
    package var isRecorded: Bool?
    /// The sealed continuation of the action `signIn`.
    package var continuation: (token: String, expiresAt: Timestamp)?
    package var warnings: [String] = []

    package init(_ answer: CatalogResolution) { self.answer = answer }

    package func json() -> [UInt8] {
        var writer = JSONWriter(reservingCapacity: 1_024)
        write(to: &writer)
        return writer.finish()
    }

    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("id", id?.description)
        writer.member("recorded", isRecorded)
        write(answer.resolution, to: &writer)
        if !warnings.isEmpty {
            writer.key("warnings")
            writer.beginArray()
            for warning in warnings { writer.string(warning) }
            writer.endArray()
        }
        writer.endObject()
    }

    private func write(_ resolution: Resolution, to writer: inout JSONWriter) {
        writer.member("outcome", resolution.outcome.rawValue)
        writer.nullable("action", resolution.action?.rawValue)
        writer.nullable("tenant", answer.table?.tenant.rawValue)
        writer.member("environment", answer.table?.environment.rawValue)
        writer.member("revision", answer.table?.revision?.rawValue)
        writer.member("validFor", resolution.validFor)
        if let rejection = resolution.rejection {
            writer.key("reason")
            writer.beginObject()
            writer.member("code", rejection.code.rawValue)
            writer.member("message", rejection.message)
            writer.endObject()
        }
        if let reason = resolution.blockReason {
            writer.key("reason")
            writer.beginObject()
            writer.member("code", "blocked")
            writer.member("message", reason)
            writer.endObject()
        }
        if let route = resolution.route {
            writer.key("route")
            writer.beginObject()
            writer.member("id", route.rawValue)
            writer.member("pattern", resolution.pattern)
            writer.endObject()
        }
        writer.key("parameters")
        writer.beginObject()
        for parameter in resolution.parameters {
            writer.key(escaping: parameter.name)
            writer.value(parameter.value)
        }
        writer.endObject()
        if let variant = resolution.variant { writer.experiment(variant) }
        writer.member("app", resolution.app?.rawValue)
        writer.key("destination")
        if let destination = resolution.destination { writer.destination(destination) } else { writer.null() }
        if resolution.action == .signIn { writer.continuation(continuation) }
        if let trace = resolution.trace { writer.trace(trace) }
    }
}

extension JSONWriter {
    fileprivate mutating func nullable(_ name: StaticString, _ text: String?) {
        key(name)
        if let text { string(text) } else { null() }
    }

    fileprivate mutating func experiment(_ variant: VariantAssignment) {
        key("experiment")
        beginObject()
        member("id", variant.experiment)
        member("variant", variant.variant)
        member("assigned", variant.isAssigned)
        endObject()
    }

    fileprivate mutating func continuation(_ continuation: (token: String, expiresAt: Timestamp)?) {
        key("continuation")
        guard let continuation else { return null() }
        beginObject()
        member("token", continuation.token)
        member("expiresAt", continuation.expiresAt.description)
        endObject()
    }

    package mutating func destination(_ destination: ResolvedDestination) {
        beginObject()
        if let screen = destination.screen {
            member("screen", screen)
            key("arguments")
            arguments(destination.arguments)
        }
        if !destination.stack.isEmpty {
            key("stack")
            beginArray()
            for screen in destination.stack {
                beginObject()
                member("screen", screen.name)
                if !screen.arguments.isEmpty {
                    key("arguments")
                    arguments(screen.arguments)
                }
                endObject()
            }
            endArray()
        }
        member("uri", destination.uri)
        member("web", destination.web)
        member("store", destination.store)
        member("data", destination.data)
        member("campaign", destination.campaign)
        key("fallbacks")
        beginArray()
        for action in destination.fallbacks { string(action.rawValue) }
        endArray()
        endObject()
    }

    private mutating func arguments(_ arguments: [ResolvedDestination.Argument]) {
        beginObject()
        for argument in arguments {
            key(escaping: argument.name)
            switch argument.value {
            case .parameter(let parameter): value(parameter)
            case .constant(let constant): node(constant)
            }
        }
        endObject()
    }

    fileprivate mutating func trace(_ trace: ResolutionTrace) {
        key("trace")
        beginArray()
        for entry in trace.entries {
            beginObject()
            member("route", entry.route.rawValue)
            member("failed", entry.failed.rawValue)
            switch entry.at {
            case .segment(let index): member("at", index)
            case .name(let name): member("at", name)
            case nil: break
            }
            member("parameter", entry.parameter)
            member("expected", entry.expected)
            member("found", entry.found)
            endObject()
        }
        endArray()
        member("traceTruncated", trace.isTruncated)
    }
}
