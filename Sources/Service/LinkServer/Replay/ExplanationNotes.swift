import LinkCatalog
import LinkEvents
import LinkRouting

/// Sentences about what the explanation of an event cannot know, because it was not recorded.
struct ExplanationNotes {
    let texts: [String]

    /// Maximum number of facts that are named, and of routes of each.
    private static let mostFacts = 10
    private static let mostRoutes = 5

    init(_ event: Event, _ link: RecordedLink, _ resolution: Resolution?, _ table: PublishedTable) {
        let routes = table.router.table.routes
        var texts = Self.shortLink(event)
        if let resolution {
            texts += Self.difference(resolution, event)
            if resolution.followed != nil {
                texts.append(
                    "The link leads to a target that is not replayed. The recorded answer depends on the target."
                )
            }
        } else {
            let reason: RecordedLink.Hidden = link.isCut ? .pathCut : link.withheld.isEmpty ? .unreadable : .sensitive
            texts.append(reason.note(about: event))
        }
        if resolution != nil, !link.withheld.isEmpty {
            let names = link.withheld.map { "{\($0)}" }.joined(separator: ", ")
            texts.append("The sensitive value of \(names) is never recorded. The answer has an example in its place.")
        }
        if link.withheld.isEmpty, !link.isCut, event.linkLength > link.shown.utf8.count + 1 {
            texts.append(
                "The link had \(event.linkLength) bytes, more than are shown: fragments, and query parameters that "
                    + "'privacy.recordQuery' does not list, are not recorded."
            )
        }
        if let reading = event.reading {
            texts.append("The settings changed the link before it was compared and recorded: \(reading).")
        }
        if event.kind != .click {
            var text = "Whether the app was installed is not recorded."
            switch event.action {
            case .openStore: text += " The recorded action suggests that it was not."
            case .openApp, .signIn, .updateApp: text += " The recorded action suggests that it was."
            case .openWeb, .block, nil: break
            }
            texts.append(text)
        }
        if let locale = event.locale, routes.contains(where: { $0.when?.hasLocale == true }) {
            texts.append("Only the first language, \(locale), is recorded, and some routes depend on the language.")
        }
        if let variant = event.variant, variant != "unassigned" {
            texts.append(
                "Variant '\(variant)' of experiment '\(event.experiment ?? "")' was chosen by the sticky key, which is "
                    + "not recorded. The answer is the one without a sticky key."
            )
        }
        texts += UnseenFact.list(live: table, draft: table).prefix(Self.mostFacts).map(Self.unseen)
        if let agreement = event.agreement {
            texts.append("The app decided with its own engine. When it reported that, \(agreement.clause).")
        }
        self.texts = texts
    }

    /// Names the short link, if there is one.
    static func shortLink(_ event: Event) -> [String] {
        guard let shortLink = event.shortLink else { return [] }
        return ["The short link \(shortLink.text) was \(event.reason.map { "not followed (\($0))" } ?? "followed")."]
    }

    private static func difference(_ resolution: Resolution, _ event: Event) -> [String] {
        let differences = resolution.differences(from: event)
        guard !differences.isEmpty else { return [] }
        let recorded = [
            event.route.map { "route '\($0)'" } ?? "no route", event.outcome.rawValue, event.action?.rawValue,
        ].compactMap(\.self).joined(separator: ", ")
        return [
            "The answer differs from the recorded one (\(recorded)) in: \(differences.joined(separator: ", ")). "
                + "A fact that was not recorded decided."
        ]
    }

    private static func unseen(_ fact: UnseenFact) -> String {
        let names = fact.routes.prefix(mostRoutes).map { "'\($0)'" }.joined(separator: ", ")
        let more = fact.routes.count > mostRoutes ? " and \(fact.routes.count - mostRoutes) more" : ""
        return "Not recorded: \(fact.fact). It matters for \(names)\(more)."
    }
}

extension RecordedLink.Hidden {
    /// Why the event cannot be resolved again.
    func note(about event: Event) -> String {
        switch self {
        case .rejected:
            "The link was rejected\(event.reason.map { " (\($0))" } ?? "") before any route was compared. The text of a "
                + "rejected link is never recorded."
        case .noPath:
            "The path was not recorded ('privacy.unmatchedPath'), so the link cannot be resolved again."
        case .pathCut:
            "Only a part of the path was recorded ('privacy.unmatchedPath'), so the link cannot be resolved again."
        case .sensitive:
            "A sensitive value was not recorded, and no example for it fits the route, so the link cannot be resolved again."
        case .notReproduced: "A fact that was not recorded decided."
        case .unreadable: "The recorded parts form no valid link, so it cannot be resolved again."
        }
    }
}

extension Event.Agreement {
    fileprivate var clause: String {
        switch self {
        case .same: "the server decided the same"
        case .different: "the server decided differently, so less of the link was recorded"
        case .unchecked: "the server did not have the app's table, so less of the link was recorded"
        }
    }
}

extension Condition {
    fileprivate var hasLocale: Bool {
        switch self {
        case .locale: true
        case .all(let conditions), .any(let conditions): conditions.contains(where: \.hasLocale)
        case .not(let condition): condition.hasLocale
        case .platform, .device, .osVersion, .appVersion, .appBuild, .country, .time, .apps, .authenticated, .trait,
            .inAppBrowser, .rollout:
            false
        }
    }
}
