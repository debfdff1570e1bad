import LinkCatalog
import LinkRouting

/// A parsed message of `POST /_fp/links`. Unknown members are errors.
struct AppLinkRequest: Sendable {
    /// Nil where the key or the host of the request names the tenant.
    let tenant: TenantID?
    /// Identifies the install of the app, 1 to 128 bytes; nil if there is none.
    let install: String?
    let content: ShortLink.Content

    private static let keys = ["tenant", "install", "target", "utm", "title"]

    /// - Throws: A `JSONSyntaxError` or a `DocumentError`.
    init(_ bytes: UnsafeBufferPointer<UInt8>, limits: JSONReader.Limits) throws {
        let field = DocumentField(try JSONReader.parse(bytes, limits: limits), path: "")
        let object = try field.object(Self.keys)
        tenant = try object["tenant"]?.identifier(TenantID.self)
        if let field = object["install"] {
            let text = try field.textWithoutNUL()
            guard (1...128).contains(text.utf8.count) else { throw field.error("an id must have 1 to 128 bytes.") }
            install = text
        } else {
            install = nil
        }
        content = try ShortLink.Content(object)
    }
}
