import LinkEvents

/// The purposes that callers may name. Installs have purposes of their own, which only the service names.
enum CallersPurpose: String, CaseIterable {
    case live, test, preview, prefetch, probe

    var purpose: Event.Purpose {
        switch self {
        case .live: .live
        case .test: .test
        case .preview: .preview
        case .prefetch: .prefetch
        case .probe: .probe
        }
    }
}
