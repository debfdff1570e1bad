import Foundation

/// The address under which people reach the console: `console.url`.
package struct ConsoleAddress: Sendable, Hashable {
    /// Without a slash at the end.
    package let text: String
    /// With the port, if it is not 443.
    let host: String

    /// Nil unless the text is an https address without a path.
    package init?(_ text: String) {
        let text = text.hasSuffix("/") ? String(text.dropLast()) : text
        guard text.hasPrefix("https://"), let url = URL(string: text), let host = url.host(), !host.isEmpty,
            url.path().isEmpty, url.query() == nil, url.fragment() == nil, url.user() == nil
        else { return nil }
        self.text = text
        self.host = String(text.dropFirst("https://".count)).lowercased()
    }
}
