import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkRouting

/// The page of a link that opens an app, for visitors whose browser does not open the app itself. It opens nothing by
/// itself, and works without its script.
struct LandingPage {
    /// The clicked link, in ASCII.
    let link: String
    /// Nil where nobody gave the link a title.
    var title: String?
    /// Opens the app; nil where the visitor's device can have none.
    let open: String?
    let store: String?
    let web: String?
    /// Whether an app shows the page in a browser of its own.
    let isInApp: Bool
    /// That app, if it is known.
    let app: InAppBrowser?
    let platform: Platform?

    /// A QR code of a longer link is too fine for some cameras.
    private static let longestScannedLink = 300

    func response(in page: TenantPage) -> BufferedResponse {
        let texts = page.texts
        let lead = texts.html(.lead, ["name": page.name ?? ""])
        let title = title?.escapedForHTML
        var content = "<h1 dir=\"auto\">\(title ?? lead)</h1>"
        if title != nil { content += "<p>\(lead)</p>" }
        content += buttons(page)
        // On a computer, people scan the code more often than they copy the link.
        content += code(texts) ?? ""
        let copied = texts.html(.copied)
        content += """
            <button class="button" type="button" data-copied="\(copied)" hidden>\(texts.html(.copy))</button>
            """
        if isInApp { content += leaving(texts) }
        content +=
            "<p class=\"quiet\" id=\"link\" dir=\"ltr\">\(link.escapedForHTML)</p><script>\(TenantPage.script)</script>"
        return page.response(.ok, title: title ?? lead, content)
    }

    private func buttons(_ page: TenantPage) -> String {
        let texts = page.texts
        // An app that is installed from here asks for the link with the system's paste button.
        let copying = platform == .android ? "" : " data-copied=\"\""
        let buttons = [
            open.map { (url: $0, text: texts.html(.open, ["name": page.name ?? ""]), attributes: "") },
            store.map { (url: $0, text: texts.html(.store), attributes: copying) },
            web.map { (url: $0, text: texts.html(.web), attributes: "") },
        ]
        var html = ""
        for button in buttons.compactMap(\.self) {
            let kind = html.isEmpty ? "button main" : "button"
            html += "<a class=\"\(kind)\" href=\"\(button.url.escapedForHTML)\"\(button.attributes)>\(button.text)</a>"
        }
        return html
    }

    /// The link for the visitor's phone; nil on a phone.
    private func code(_ texts: PageTexts) -> String? {
        switch platform {
        case .macos, .windows, .linux: break
        case .ios, .android, .other, nil: return nil
        }
        guard link.utf8.count <= Self.longestScannedLink, let style = try? QRCodeStyle(size: 240),
            let code = try? QRCode(QRCode.marked(link), level: .medium), let image = try? code.svg(style)
        else { return nil }
        let scan = texts.html(.scan)
        return "<p>\(scan)</p><div class=\"code\" role=\"img\" aria-label=\"\(scan)\">\(image)</div>"
    }

    private func leaving(_ texts: PageTexts) -> String {
        let menu = platform == .android ? "⋮" : "•••"
        let leave = texts.html(app?.leaving(on: platform) ?? .leave, ["app": app?.name ?? "", "menu": menu])
        let escape = app?.escape(to: link).map { " <a href=\"\($0.escapedForHTML)\">\(texts.html(.browser))</a>" } ?? ""
        return "<p class=\"quiet\">\(leave)\(escape)</p>"
    }
}
