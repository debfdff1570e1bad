import HTTPTransport
import HTTPTypes
import LinkCatalog
import LinkRouting
import NIOCore

/// The page of a link for a program that shows it in a chat: a title, a text, an image, and the app that opens the link.
struct PreviewPage {
    private let title: String
    private let preview: LinkPreview
    /// The clicked link. Another address would make programs show the page that is there.
    private let url: String
    private let destination: ResolvedDestination
    private let apps: [RegisteredApp]

    /// Nil for a link that leads nowhere, and where neither the short link nor the table has a title.
    init?(_ link: LinkResolver.ResolvedLink) {
        preview = link.preview
        guard let title = preview.title, let table = link.answer.table, case .success(let clicked) = link.link.parsed,
            let destination = link.answer.resolution.destination, link.followed?.gone == nil
        else { return nil }
        self.title = title
        self.destination = destination
        url = clicked.asciiText
        apps = table.settings.identity.apps.filter { $0.isPart(of: table.environment) }
    }

    /// - Parameter site: The name of the tenant, or its host.
    func response(site: String) -> BufferedResponse {
        var html = "<!doctype html><html><meta charset=\"utf-8\"><title>\(title.escapedForHTML)</title>\n"
        html += "<link rel=\"canonical\" href=\"\(url.escapedForHTML)\">\n"
        for (name, content) in names { html += Self.meta("name", name, content) }
        for (property, content) in properties(site) { html += Self.meta("property", property, content) }
        // For a person whose browser was taken for such a program.
        let page = (destination.web ?? destination.store).map { " href=\"\($0.escapedForHTML)\"" } ?? ""
        html += "<h1><a\(page)>\(title.escapedForHTML)</a></h1>\n"
        if let text = preview.description { html += "<p>\(text.escapedForHTML)</p>\n" }
        return BufferedResponse(
            .ok,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy:
                    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
                .referrerPolicy: "no-referrer",
            ],
            body: ByteBuffer(string: html + "</html>\n")
        )
    }

    /// Returns an element; nothing without a content.
    private static func meta(_ attribute: String, _ name: String, _ content: String?) -> String {
        content.map { "<meta \(attribute)=\"\(name)\" content=\"\($0.escapedForHTML)\">\n" } ?? ""
    }

    private var names: KeyValuePairs<String, String?> {
        [
            "description": preview.description,
            "twitter:card": preview.image == nil ? "summary" : "summary_large_image",
            "twitter:title": title, "twitter:description": preview.description, "twitter:image": preview.image,
            "apple-itunes-app": smartBanner,
        ]
    }

    /// Open Graph, and App Links of the app that the link opens.
    private func properties(_ site: String) -> KeyValuePairs<String, String?> {
        let iOS = destination.uri == nil ? nil : app(on: .ios)
        let android = destination.uri == nil ? nil : app(on: .android)
        return [
            "og:type": "website", "og:site_name": site, "og:url": url,
            "og:title": title, "og:description": preview.description, "og:image": preview.image,
            "al:ios:url": iOS == nil ? nil : destination.uri, "al:ios:app_store_id": iOS?.appStoreID,
            "al:ios:app_name": iOS == nil ? nil : site,
            "al:android:url": android == nil ? nil : destination.uri, "al:android:package": android?.packageName,
            "al:android:app_name": android == nil ? nil : site,
        ]
    }

    private func app(on platform: Platform, _ kind: RegisteredApp.Kind = .app) -> RegisteredApp? {
        apps.first { $0.platform == platform && $0.kind == kind }
    }

    /// Apple's banner with the app and its App Clip; nil without an app in the App Store.
    private var smartBanner: String? {
        guard destination.screen != nil, let id = app(on: .ios)?.appStoreID else { return nil }
        let banner = "app-id=\(id), app-argument=\(url.escapedForSmartBanner)"
        guard case .ios(_, let clip)? = app(on: .ios, .clip)?.product else { return banner }
        return banner + ", app-clip-bundle-id=\(clip), app-clip-display=card"
    }
}

extension LinkResolver.ResolvedLink {
    /// What the short link, the route and the table say about the link, in this order.
    var preview: LinkPreview {
        guard let table = answer.table else { return LinkPreview() }
        var own = followed?.preview ?? LinkPreview()
        // The settings may not allow the host of the image any more.
        own.image = own.image.flatMap { text in
            guard let image = try? DeepLink.parse(text), image.scheme == "https",
                table.settings.identity.destinations.allows(image)
            else { return nil }
            return image.asciiText
        }
        let resolution = answer.resolution
        return own.completed(by: table.router.preview(of: resolution.route, parameters: resolution.parameters))
    }
}

extension RegisteredApp {
    fileprivate var appStoreID: String? { stores.first { $0.kind == .appStore }?.id }

    fileprivate var packageName: String? {
        guard case .android(let name, _) = product else { return nil }
        return name
    }
}
