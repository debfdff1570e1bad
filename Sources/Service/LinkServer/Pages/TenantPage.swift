import Crypto
import FoundationEssentials
import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkRouting
import NIOCore

/// The frame of all pages: styles, the tenant's logo and name, and where to report the page. A page is a single response
/// and loads nothing.
struct TenantPage {
    let texts: PageTexts
    /// The name of the tenant, else the host; nil for a host of no tenant.
    let name: String?
    private let brand: Settings.Brand
    private let contact: Settings.Contact?

    /// - Parameters:
    ///   - settings: Those of the tenant; nil for a host of no tenant.
    ///   - host: The tenant's host.
    ///   - languages: Those of the visitor, best first.
    init(_ settings: Settings?, host: String?, languages: [LanguageTag]) {
        brand = settings?.brand ?? Settings.Brand()
        contact = settings?.abuseContact
        name = brand.name ?? host
        texts = PageTexts(languages, of: brand)
    }

    /// - Parameters:
    ///   - title: HTML, as the content is.
    ///   - headers: The header fields of the response that the page replaces.
    func response(
        _ status: HTTPResponse.Status,
        title: String,
        _ content: String,
        headers: HTTPFields = HTTPFields()
    ) -> BufferedResponse {
        let colors = colors
        var headers = headers
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.cacheControl] = "no-store"
        // The last three directives do not fall back to default-src.
        headers[.contentSecurityPolicy] = """
            default-src 'none'; style-src \(Self.styleHash) \(Self.hash(colors)); script-src \(Self.scriptHash); \
            img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'
            """
        headers[.referrerPolicy] = "no-referrer"
        let name = name?.escapedForHTML
        let logo = brand.logo.map { "<img src=\"\($0.dataURI)\" alt=\"\">" } ?? ""
        let report = contact.map { "<footer><a href=\"\($0.url.escapedForHTML)\">\(texts.html(.report))</a></footer>" }
        let html = """
            <!doctype html>
            <html lang="\(texts.language)"\(texts.isWrittenFromTheRight ? " dir=\"rtl\"" : "")><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">
            <title>\(title)\(name.map { " · \($0)" } ?? "")</title>
            <style>\(Self.style)</style><style>\(colors)</style></head>
            <body><main><header>\(logo)<span dir="auto">\(name ?? "")</span></header>
            \(content)
            \(report ?? "")</main></body></html>

            """
        return BufferedResponse(status, headers: headers, body: ByteBuffer(string: html))
    }

    /// The only part of the style that depends on the tenant.
    private var colors: String {
        func accent(_ color: RGBColor) -> String { ":root{--accent:\(color);--on:\(color.foreground)}" }
        return "\(accent(brand.accent))@media(prefers-color-scheme:dark){\(accent(brand.dark))}"
    }

    private static let style = """
        :root{color-scheme:light dark;--text:#1c1c21;--quiet:#5b5b66;--ground:#fff;--line:#c9c9d2}
        @media(prefers-color-scheme:dark){:root{--text:#ececf1;--quiet:#a9a9b5;--ground:#151518;--line:#45454f}}
        *{box-sizing:border-box}
        body{margin:0;background:var(--ground);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
        main{display:flex;flex-direction:column;max-width:26rem;min-height:100vh;margin:0 auto;padding:1.5rem 1rem}
        header{display:flex;align-items:center;gap:.75rem;font-weight:600;overflow-wrap:anywhere}
        img{width:3rem;height:3rem;object-fit:contain;border-radius:.75rem}
        h1{margin:1.5rem 0 .5rem;font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}
        p{margin:.5rem 0;overflow-wrap:anywhere}
        .button{display:block;width:100%;margin:.375rem 0;padding:.875rem 1rem;border:1px solid var(--line);\
        border-radius:.75rem;background:none;color:inherit;font:inherit;font-weight:600;text-align:center;\
        text-decoration:none;overflow-wrap:anywhere;cursor:pointer}
        .main{background:var(--accent);color:var(--on)}
        .quiet{color:var(--quiet);font-size:.875rem}
        .code svg{display:block;width:15rem;max-width:100%;height:auto;margin:1rem auto;border-radius:.75rem}
        a:focus-visible,button:focus-visible{outline:3px solid var(--text);outline-offset:2px}
        footer{margin-top:auto;padding-top:1.5rem;font-size:.875rem}
        footer a,.quiet a{color:inherit}
        [hidden]{display:none}
        """

    /// Copies the link of a page, where the browser permits it.
    static let script = """
        const link = document.getElementById("link");
        if (navigator.clipboard) for (const item of document.querySelectorAll("[data-copied]")) {
          item.hidden = false;
          item.addEventListener("click", () => navigator.clipboard.writeText(link.textContent).then(
            () => { if (item.dataset.copied) item.textContent = item.dataset.copied; },
            () => {}
          ));
        }
        """

    private static let styleHash = hash(style)
    private static let scriptHash = hash(script)

    /// The hash with which a Content-Security-Policy admits an inline style or script.
    private static func hash(_ text: String) -> String {
        "'sha256-\(Data(SHA256.hash(data: Data(text.utf8))).base64EncodedString())'"
    }
}
