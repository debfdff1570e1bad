/// A host's HTTP response for its association file, without the body.
public struct AssociationHosting: Sendable, Hashable {
    /// The HTTP status code.
    public var status: Int
    /// The `Location` of a redirect.
    public var redirect: String?
    /// The `Content-Type` header as sent.
    public var contentType: String?

    public init(status: Int, redirect: String? = nil, contentType: String? = nil) {
        self.status = status
        self.redirect = redirect
        self.contentType = contentType
    }

    var isRedirect: Bool { (300..<400).contains(status) }

    /// The redirect's target for a message, as ` to 'URL'`; empty if the response has none.
    var target: String { redirect.map { " to '\($0)'" } ?? "" }

    /// The content type without parameters, in lower case.
    var mediaType: String? {
        contentType?.split(separator: ";").first.map { $0.filter { !$0.isWhitespace }.lowercased() }
    }
}
