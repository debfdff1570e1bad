import LinkRouting

/// What events are counted by, hour by hour. A closed list: each of them costs a row for each value and hour.
package enum Dimension: String, Sendable, CaseIterable {
    case kind, app, platform, device, osVersion, appVersion, country, locale, referrerHost
    case utmSource, utmMedium, utmCampaign, utmTerm, utmContent
    /// `experiment:variant`
    case variant
    case botClass
    /// The code of why a link was rejected.
    case rejectedReason
    /// The path, as far as it is recorded, of a link that no route answered.
    case unmatchedPath

    /// Of the live traffic of production in one UTC day; all further ones are counted together.
    package static let mostValues = 1_000
    /// Of each other stream: anybody may send what is called a test, so that it takes less of the disk.
    package static let mostOtherValues = 250
    /// UTF-8 bytes; a longer value is counted by its beginning.
    package static let longestValue = 256

    /// Nil where the event has none.
    package func value(of event: Event) -> String? {
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
        case .rejectedReason: event.outcome == .rejected ? event.reason : nil
        case .unmatchedPath: event.outcome == .unmatched || event.outcome == .fallback ? event.path : nil
        }
    }
}
