package import LinkRouting

/// A link that a request asked about, as the journal and the report show it.
package struct LinkRecord: Sendable {
    package let link: String
    /// The result in a few words, such as `product, ProductDetail`.
    package let summary: String
    /// Why no route matched; nil for a link with an answer.
    package let failure: String?
    /// The details of the link.
    package let json: JSONNode

    package init(link: String, summary: String, failure: String?, json: JSONNode) {
        self.link = link
        self.summary = summary
        self.failure = failure
        self.json = json
    }
}
