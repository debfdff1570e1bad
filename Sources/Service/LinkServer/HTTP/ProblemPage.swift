import HTTPTransport
import HTTPTypes
import LinkRouting
import NIOCore

/// The text of the page for people whose link did not lead anywhere. It contains no text of the link, and no details
/// of a problem, which are for developers.
struct ProblemPage {
    let title: String
    let text: String

    init(_ title: String, _ text: String) {
        self.title = title
        self.text = text
    }

    init(_ status: HTTPResponse.Status) {
        self =
            switch status.code {
            case 404, 410: Self("Page not found", "No page is published for this link.")
            case 429: Self("Too many requests", "Please wait a minute, then try again.")
            case 503: Self("Temporarily unavailable", "Please try again in a few seconds.")
            case 500...: Self("Something went wrong", "Please try again later.")
            case 401, 403: Self("Access denied", "You do not have access to this address.")
            default: Self("This link cannot be opened", "The request is not valid.")
            }
    }

    /// - Parameters:
    ///   - headers: The header fields of the response that the page replaces.
    ///   - host: The tenant's host, which the page names; nil if the host of the request belongs to no tenant.
    ///   - requestID: The id of the request, which the page names for the tenant's support.
    func response(
        _ status: HTTPResponse.Status,
        of host: String?,
        requestID: String? = nil,
        headers: HTTPFields = HTTPFields()
    ) -> BufferedResponse {
        var headers = headers
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.cacheControl] = "no-store"
        // The last three directives do not fall back to default-src.
        headers[.contentSecurityPolicy] =
            "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        headers[.referrerPolicy] = "no-referrer"
        let name = host.map { " · \($0.escapedForHTML)" } ?? ""
        let request = requestID.map { "<p>Request \($0.escapedForHTML)</p>" } ?? ""
        let html = """
            <!doctype html><html lang="en"><meta charset="utf-8"><title>\(title.escapedForHTML)\(name)</title>
            <h1>\(title.escapedForHTML)</h1><p>\(text.escapedForHTML)</p>\(request)</html>

            """
        return BufferedResponse(status, headers: headers, body: ByteBuffer(string: html))
    }
}

extension HTTPRequest {
    /// Whether a browser shows the response: the request is a GET or HEAD that accepts HTML.
    var isOfBrowser: Bool {
        guard method == .get || method == .head, let accept = headerFields.value(of: .accept) else { return false }
        return accept.split(separator: ",").contains { range in
            let parts = range.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            return parts.first == "text/html"
                && !parts.dropFirst().contains { ["q=0", "q=0.0", "q=0.00"].contains($0) }
        }
    }
}

extension HTTPField.Name {
    static let referrerPolicy = HTTPField.Name.constant("Referrer-Policy")
}
