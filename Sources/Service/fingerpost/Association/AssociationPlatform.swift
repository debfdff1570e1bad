package import AppAssociation
package import LinkRouting

/// The platform of an association file.
package enum AssociationPlatform: String, CaseIterable {
    case ios, android

    /// The name under which hosts serve the file.
    package var fileName: String {
        switch self {
        case .ios: "apple-app-site-association"
        case .android: "assetlinks.json"
        }
    }

    /// Detects the platform: a JSON list is an Android file, anything else an Apple file.
    package init(of bytes: [UInt8]) {
        let first = bytes.first { !" \n\r\t".utf8.contains($0) }
        self = first == UInt8(ascii: "[") ? .android : .ios
    }

    package func generated(for host: String, _ router: Router) -> [UInt8] {
        switch self {
        case .ios: AASAGenerator(host: host, router: router).file()
        case .android: AssetLinksGenerator(host: host, router: router).file()
        }
    }

    package func overmatches(for host: String, _ router: Router) -> [Overmatch] {
        switch self {
        case .ios: AASAGenerator(host: host, router: router).overmatches()
        case .android: AssetLinksGenerator(host: host, router: router).overmatches()
        }
    }
}
