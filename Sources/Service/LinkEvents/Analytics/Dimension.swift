import LinkRouting

/// An attribute that events are counted by, hour by hour. A closed set, because each dimension costs a row per value
/// and hour.
package enum Dimension: String, Sendable, CaseIterable {
    case kind, app, platform, device, osVersion, appVersion, country, locale, referrerHost
    case utmSource, utmMedium, utmCampaign, utmTerm, utmContent
    /// The pair `experiment:variant`.
    case variant
    case botClass
    /// The version of the engine of an app that decided itself.
    case engineVersion
    /// The engine version of such an app, where the server decides differently.
    case disagreement
    /// The triple `app appVersion engineVersion` of such an app, with `-` for what is not known.
    case appEngine
    /// What became of a link in the app that reported it: `shown` or `failed`.
    case result
    /// The reason code of a rejected link.
    case rejectedReason
    /// The recorded path of a link that no route matched.
    case unmatchedPath

    /// The limit of values with a counter of their own, per UTC day, for live traffic in production. All further values
    /// share one counter.
    package static let mostValues = 1_000
    /// The limit for every other stream. It is lower, because anybody may send test traffic, which must take less disk
    /// space.
    package static let mostOtherValues = 250
    /// The limit in UTF-8 bytes; a longer value is truncated.
    package static let longestValue = 256

    /// Returns the event's value; nil if it has none.
    package func value(of event: Event.Fields) -> String? {
        switch self {
        case .kind: event.kind.rawValue
        case .app: event.app?.rawValue
        case .platform: event.platform?.rawValue
        case .device: event.device?.rawValue
        case .osVersion: event.osVersion
        case .appVersion: event.appVersion
        case .country: event.country
        case .locale: event.locale
        case .referrerHost: event.referrerHost
        case .utmSource: event.utm(.source)
        case .utmMedium: event.utm(.medium)
        case .utmCampaign: event.utm(.campaign)
        case .utmTerm: event.utm(.term)
        case .utmContent: event.utm(.content)
        case .variant: event.experiment.flatMap { experiment in event.variant.map { "\(experiment):\($0)" } }
        case .botClass: event.botClass
        case .engineVersion: event.engineVersion
        case .disagreement: event.agreement == .different ? event.engineVersion : nil
        case .appEngine:
            event.engineVersion.map { "\(event.app?.rawValue ?? "-") \(event.appVersion ?? "-") \($0)" }
        case .result: event.result?.rawValue
        case .rejectedReason: event.outcome == .rejected ? event.reason : nil
        case .unmatchedPath: event.outcome == .unmatched || event.outcome == .fallback ? event.path : nil
        }
    }
}
