// The parts of an answer of `POST /resolve` that depend on the resolution alone. The server, the command line and the
// C library write them in the same way.
extension JSONWriter {
    /// Writes the members `outcome` and `action`.
    package mutating func outcome(of resolution: Resolution) {
        member("outcome", resolution.outcome.rawValue)
        nullable("action", resolution.action?.rawValue)
    }

    /// Writes the members from `validFor` to `destination`.
    package mutating func destination(of resolution: Resolution) {
        member("validFor", resolution.validFor)
        if let rejection = resolution.rejection {
            key("reason")
            beginObject()
            member("code", rejection.code.rawValue)
            member("message", rejection.message)
            endObject()
        }
        if let reason = resolution.blockReason {
            key("reason")
            beginObject()
            member("code", "blocked")
            member("message", reason)
            endObject()
        }
        if let route = resolution.route {
            key("route")
            beginObject()
            member("id", route.rawValue)
            member("pattern", resolution.pattern)
            endObject()
        }
        key("parameters")
        beginObject()
        for parameter in resolution.parameters {
            key(escaping: parameter.name)
            value(parameter.value)
        }
        endObject()
        if let variant = resolution.variant { experiment(variant) }
        member("app", resolution.app?.rawValue)
        key("destination")
        if let place = resolution.destination { destination(place) } else { null() }
    }

    /// Writes the members of an answer without a server: no id, tenant, environment and revision, and no continuation.
    package mutating func offlineAnswer(_ resolution: Resolution) {
        outcome(of: resolution)
        destination(of: resolution)
        if resolution.action == .signIn { nullable("continuation", nil) }
        if let trace = resolution.trace { self.trace(trace) }
    }

    /// Writes a key, and its value or null.
    package mutating func nullable(_ name: StaticString, _ text: String?) {
        key(name)
        if let text { string(text) } else { null() }
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

    /// Writes the members `trace` and `traceTruncated`.
    package mutating func trace(_ trace: ResolutionTrace) {
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

    private mutating func experiment(_ variant: VariantAssignment) {
        key("experiment")
        beginObject()
        member("id", variant.experiment)
        member("variant", variant.variant)
        member("assigned", variant.isAssigned)
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
}
