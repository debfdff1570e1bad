/// The tenant's policy for its association files.
public struct AssociationPolicy: Sendable, Hashable {
    public var detail: Detail
    /// Whether `apple-app-site-association` also has the `paths` that iOS 12 and earlier read.
    public var legacyPaths: Bool

    public enum Detail: String, Sendable, CaseIterable {
        /// A rule for each route that opens the app.
        case routes
        /// One rule for every link, for teams that do not publish their paths.
        case coarse
    }

    public init(detail: Detail = .routes, legacyPaths: Bool = false) {
        self.detail = detail
        self.legacyPaths = legacyPaths
    }

    package static let keys = ["detail", "legacyPaths"]

    /// Reads `{detail, legacyPaths}`.
    init(_ field: DocumentField) throws(DocumentError) {
        let object = try field.object(Self.keys)
        self.init(
            detail: try object["detail"]?.choice(Detail.self) ?? .routes,
            legacyPaths: try object["legacyPaths"]?.bool() ?? false
        )
    }
}
