/// An association file of a host: `apple-app-site-association` or `assetlinks.json`.
package enum AssociationFile: String, Sendable, Hashable, CaseIterable {
    case apple, android
}
