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

    /// Detects the platform of a file by its name, else by its content. A file with the content of the other platform is
    /// judged as what its name says.
    package init(of bytes: [UInt8], named path: String) {
        self = Self(named: path) ?? (AssetLinks.isLikely(bytes) ? .android : .ios)
    }

    /// The platform that the name of a file says, such as `assetlinks.json` or `apple-app-site-association.txt`; nil if it
    /// says none.
    package init?(named path: String) {
        let name = path.split(separator: "/").last?.lowercased() ?? ""
        let named = Self.allCases.filter { name.contains($0.fileName.prefix { $0 != "." }) }
        guard let platform = named.first, named.count == 1 else { return nil }
        self = platform
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
