/// The table that gave an answer.
package struct AnswerSource: Sendable, Hashable {
    package let tenant: TenantID
    package let environment: EnvironmentID
    /// Nil until a first table is published.
    package let revision: Revision?

    package init(tenant: TenantID, environment: EnvironmentID, revision: Revision?) {
        self.tenant = tenant
        self.environment = environment
        self.revision = revision
    }
}

extension Resolution {
    /// Writes the members of a response into an object: server, app and offline commands write the same bytes.
    ///
    /// - Parameters:
    ///   - source: The table that gave the answer; nil if no tenant owns the link.
    ///   - continuation: The sealed continuation of the action `sign_in`; nil outside the server.
    package func write(
        to writer: inout JSONWriter,
        of source: AnswerSource?,
        continuation: (token: String, expiresAt: Timestamp)? = nil
    ) {
        writer.member("outcome", outcome.rawValue)
        writer.nullable("action", action?.rawValue)
        writer.nullable("tenant", source?.tenant.rawValue)
        writer.member("environment", source?.environment.rawValue)
        writer.member("revision", source?.revision?.rawValue)
        writer.member("validFor", validFor)
        if let rejection {
            writer.beginObject(key: "reason")
            writer.member("code", rejection.code.rawValue)
            writer.member("message", rejection.message)
            writer.endObject()
        }
        if let reason = blockReason {
            writer.beginObject(key: "reason")
            writer.member("code", "blocked")
            writer.member("message", reason)
            writer.endObject()
        }
        if let route {
            writer.beginObject(key: "route")
            writer.member("id", route.rawValue)
            writer.member("pattern", pattern)
            writer.endObject()
        }
        writer.beginObject(key: "parameters")
        // Elements are read in place here and below: a copy costs more than its text.
        for index in parameters.indices {
            writer.key(escaping: parameters[index].name)
            writer.value(parameters[index].value)
        }
        writer.endObject()
        if let variant { writer.experiment(variant) }
        writer.member("app", app?.rawValue)
        writer.key("destination")
        if $destination.isPresent {
            $destination.withValue { writer.destination($0) }
        } else {
            writer.null()
        }
        if action == .signIn { writer.continuation(continuation) }
        if !reading.isEmpty {
            writer.key("reading")
            writer.beginArray()
            for name in reading.names { writer.string(name) }
            writer.endArray()
        }
        if let trace { writer.trace(trace) }
    }
}

extension JSONWriter {
    fileprivate mutating func nullable(_ name: StaticString, _ text: String?) {
        guard let text else {
            key(name)
            return null()
        }
        member(name, text)
    }

    fileprivate mutating func experiment(_ variant: VariantAssignment) {
        beginObject(key: "experiment")
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
            arguments(destination.arguments)
        }
        if !destination.stack.isEmpty {
            beginArray(key: "stack")
            for index in destination.stack.indices {
                beginObject()
                member("screen", destination.stack[index].name)
                if !destination.stack[index].arguments.isEmpty {
                    arguments(destination.stack[index].arguments)
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
        beginArray(key: "fallbacks")
        for action in destination.fallbacks { string(action.rawValue) }
        endArray()
        endObject()
    }

    private mutating func arguments(_ arguments: [ResolvedDestination.Argument]) {
        beginObject(key: "arguments")
        for index in arguments.indices {
            key(escaping: arguments[index].name)
            switch arguments[index].value {
            case .parameter(let parameter): value(parameter)
            case .constant(let constant): node(constant)
            }
        }
        endObject()
    }

    fileprivate mutating func trace(_ trace: ResolutionTrace) {
        beginArray(key: "trace")
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
