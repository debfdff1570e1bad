import LinkCatalog
import LinkEvents
import LinkRouting
import LinkServer
import StubMatching

extension ObservedLink {
    /// Returns the journal's record of the link. The link is resolved again, because the answer may lack the
    /// explanation.
    func record(isExplained: Bool, hasShortLinks: Bool) -> LinkRecord {
        let own = catalog.resolve(
            url,
            in: context,
            environment: environment,
            explanation: isExplained ? .included : .omitted
        )
        var answer = followed ?? own
        answer.resolution.trace = own.resolution.trace
        // The answer of `POST /resolve` has all facts in a form that people know.
        let limits = JSONReader.Limits(maximumBytes: 4 << 20)
        let resolution = (try? JSONReader.parse(ResolveResponse(answer).json(), limits: limits)) ?? .null
        let destination = resolution["destination"]
        var note: String?
        if case .code(let code, _)? = own.resolution.followed, event.shortLink == nil {
            note =
                hasShortLinks
                ? "the tenant file has no short link '\(code)'; add it below 'links'"
                : "the tenant file has no short links; list them below 'links'"
        }
        let nearest = nearestRoutes(answer)
        let json = JSONNode.object([
            "kind": .string(event.kind.rawValue),
            "link": .string(url),
            "tenant": resolution["tenant"],
            "environment": resolution["environment"],
            "revision": resolution["revision"],
            "app": resolution["app"],
            "outcome": resolution["outcome"],
            "action": resolution["action"],
            "route": resolution["route"]?["id"],
            "parameters": resolution["parameters"],
            "screen": destination?["screen"],
            "arguments": destination?["arguments"],
            "web": destination?["web"],
            "store": destination?["store"],
            "reason": resolution["reason"],
            "explanation": resolution["trace"],
            "nearestRoutes": nearest?.json,
            "shortLink": event.shortLink.map { .string($0.text) },
            "note": note.map(JSONNode.string),
            "reported": reported,
        ])
        let reason = failure(answer, nearest).map { note ?? $0 }
        return LinkRecord(link: url, summary: summary(resolution), failure: reason, json: json)
    }

    /// The decision of an app's own engine; nil for links that the server resolved.
    private var reported: JSONNode? {
        guard event.kind == .app else { return nil }
        return .object([
            "outcome": .string(event.outcome.rawValue),
            "action": event.action.map { .string($0.rawValue) },
            "route": event.route.map { .string($0.rawValue) },
            "result": event.result.map { .string($0.rawValue) },
            "revision": event.revision.map { .int($0.rawValue) },
            "agreement": event.agreement.map { .string($0.rawValue) },
        ])
    }

    private func summary(_ resolution: JSONNode) -> String {
        guard event.kind != .app else {
            let agreement = event.agreement.map { ", \($0.rawValue) as here" } ?? ""
            return "reported \(event.outcome.rawValue)\(event.route.map { " \($0)" } ?? "")\(agreement)"
        }
        let parts = [
            resolution["route"]?["id"]?.text ?? event.outcome.rawValue, resolution["destination"]?["screen"]?.text,
            event.action.map(\.rawValue),
        ]
        return parts.compactMap(\.self).joined(separator: ", ")
    }

    private func nearestRoutes(_ answer: CatalogResolution) -> NearestRoutes? {
        guard [.unmatched, .fallback].contains(event.outcome), let link = answer.link, let table = answer.table else {
            return nil
        }
        return NearestRoutes(to: link, in: table)
    }

    private func failure(_ answer: CatalogResolution, _ nearest: NearestRoutes?) -> String? {
        switch event.outcome {
        case .rejected:
            let reason = answer.resolution.rejection.map { ": \($0.message) (\($0.code.rawValue))" } ?? ""
            return "the link cannot be read\(reason)"
        case .unmatched:
            if let nearest {
                return nearest.text.isEmpty
                    ? "the table has no routes" : "no route matched; nearest routes: \(nearest.text)"
            }
            guard let link = answer.link else { return "no route matched" }
            let name = link.host.map { "host '\($0)'" } ?? "scheme '\(link.scheme)'"
            return "no tenant has the \(name); the tenants have \(catalog.ownedNames)"
        default: return nil
        }
    }
}

extension Catalog {
    /// The hosts and schemes of all tenants, for messages.
    var ownedNames: String {
        let names = tables.filter { $0.environment == .production }.flatMap { table in
            table.settings.identity.domains.map { ($0.coversSubdomains ? "*." : "") + $0.host }
                + table.settings.identity.schemes.map { "\($0.name):" }
        }
        let shown = names.prefix(10).joined(separator: ", ")
        return names.count > 10 ? "\(shown) and \(names.count - 10) more" : shown.isEmpty ? "none" : shown
    }
}
