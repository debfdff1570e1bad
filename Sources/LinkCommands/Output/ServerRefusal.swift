package import LinkRouting

/// A server's error response in words of the command line, where a key is an option and not a header field.
package struct ServerRefusal {
    private let status: Int
    private let body: JSONNode
    private let words: CommandWords

    /// - Parameters:
    ///   - body: The problem of the response; null if it has none.
    ///   - tenant: The tenant of the request; nil for a request that belongs to none.
    package init(status: Int, body: JSONNode, tenant: String? = nil) {
        self.status = status
        self.body = body
        words = CommandWords(tenant: tenant)
    }

    package var text: String {
        let detail = body["detail"]?.text.map(words.replacing) ?? "the server responded with \(status)"
        switch body["code"]?.text {
        case "missing_key":
            return "The server answers this only with a key that has the scope 'resolve'. Use --key or FINGERPOST_KEY."
        case "explain_forbidden":
            return "\(detail) Use --key or FINGERPOST_KEY with a key that has the scope 'explain'."
        default:
            return advice.map { "\(detail) \($0)" } ?? detail
        }
    }

    /// Advice to pass another key; nil unless the response concerns the key.
    private var advice: String? {
        switch status {
        case 401: "Use --key or FINGERPOST_KEY with another key."
        case 403:
            "Use --key or FINGERPOST_KEY with a key that may do this; 'fingerpost keys list' shows what each may do."
        default: nil
        }
    }
}
