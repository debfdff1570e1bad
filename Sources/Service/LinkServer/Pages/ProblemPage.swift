import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkRouting

/// The text of the page for people whose link did not lead anywhere. It contains no text of the link, and no details
/// of a problem, which are for developers.
struct ProblemPage {
    let title: PageText
    let text: String?

    init(_ title: PageText, _ text: String? = nil) {
        self.title = title
        self.text = text
    }

    init(of status: HTTPResponse.Status) {
        title =
            switch status.code {
            case 404, 410: .notFound
            case 429: .busy
            case 503: .unavailable
            case 500...: .failed
            case 401, 403: .denied
            default: .unreadable
            }
        text = nil
    }

    /// - Parameters:
    ///   - headers: The header fields of the response that the page replaces.
    ///   - requestID: The id of the request, which the page names for the tenant's support.
    func response(
        _ status: HTTPResponse.Status,
        in page: TenantPage,
        requestID: String? = nil,
        headers: HTTPFields = HTTPFields()
    ) -> BufferedResponse {
        let text = text.map { "<p dir=\"auto\">\($0.escapedForHTML)</p>" } ?? ""
        let request = requestID.map { "<p class=\"quiet\">Request \($0.escapedForHTML)</p>" } ?? ""
        let title = page.texts.html(title)
        return page.response(status, title: title, "<h1>\(title)</h1>\(text)\(request)", headers: headers)
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
