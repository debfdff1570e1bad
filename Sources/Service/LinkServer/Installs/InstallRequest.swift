import LinkRouting

/// A parsed message of `POST /_fp/installs`. Unknown members are errors, except in `context`.
struct InstallRequest: Sendable {
    /// Nil where the key or the host of the request names the tenant.
    let tenant: TenantID?
    let environment: EnvironmentID
    let app: AppID
    /// Identifies the install of the app, 1 to 128 bytes.
    let install: String
    let evidence: Evidence
    let context: LinkContext
    let warnings: [String]

    /// What led to the installation.
    enum Evidence: Sendable {
        /// The token of a click, from the referrer of the store.
        case token(String)
        /// A link that a person copied before the installation and pasted into the app.
        case link(String)
    }

    private static let keys = ["tenant", "environment", "app", "install", "token", "link", "context"]

    /// - Throws: A `JSONSyntaxError` or a `DocumentError`.
    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONReader.Limits) throws {
        let field = DocumentField(try JSONReader.parse(bytes, limits: limits), path: "")
        let object = try field.object(Self.keys)
        tenant = try object["tenant"]?.identifier(TenantID.self)
        environment = try object["environment"]?.identifier(EnvironmentID.self) ?? .production
        app = try object.required("app").identifier(AppID.self)
        install = try AppEventsRequest.id(object.required("install"))
        switch (object["token"], object["link"]) {
        case (let token?, nil): evidence = .token(try token.text())
        case (nil, let link?): evidence = .link(try link.text())
        default:
            throw field.error(
                "write exactly one of 'token', which is the item 'fp' of the store's referrer, and 'link', which was pasted."
            )
        }
        var (context, warnings) = (LinkContext(), [String]())
        if let field = object["context"] { try context.read(field, &warnings) }
        context.app = app
        context.installed = true
        self.context = context
        self.warnings = Array(warnings.prefix(WarningList.maximumCount))
    }
}
