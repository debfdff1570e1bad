/// How a host answered for its association file: what a fetch sees beside the bytes.
public struct AssociationHosting: Sendable, Hashable {
    /// The HTTP status code.
    public var status: Int
    /// The `Location` of a redirect.
    public var redirect: String?
    /// The `Content-Type`, as it was sent.
    public var contentType: String?

    public init(status: Int, redirect: String? = nil, contentType: String? = nil) {
        self.status = status
        self.redirect = redirect
        self.contentType = contentType
    }

    var isRedirect: Bool { (300..<400).contains(status) }

    /// ` to 'URL'`, where the answer says so.
    var target: String { redirect.map { " to '\($0)'" } ?? "" }

    /// The content type without parameters, in small letters.
    var mediaType: String? {
        contentType?.split(separator: ";").first.map { $0.filter { !$0.isWhitespace }.lowercased() }
    }
}
