import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import LinkCatalog
import LinkRouting
import LinkServer
import Mustache
import NIOCore

/// A place of the console: the template that it shows, the requests whose answers these are, and what its forms do.
struct ConsolePage: Sendable {
    let template: String
    let load: @Sendable (Visit) async throws -> [String: any Sendable]
    /// By the value of the button named `act`. If the admin API refuses it, the page is shown with what was typed.
    let acts: [String: @Sendable (Visit) async throws -> ConsoleAnswer]
    /// What a key needs for all acts, besides what it needs to see the page.
    let scopes: [KeyGrant.Scope]

    init(
        _ template: String,
        _ load: @escaping @Sendable (Visit) async throws -> [String: any Sendable],
        needing scopes: KeyGrant.Scope...,
        acts: [String: @Sendable (Visit) async throws -> ConsoleAnswer] = [:]
    ) {
        self.template = template
        self.load = load
        self.scopes = scopes
        self.acts = acts
    }

    /// What the page shows. It says before the person types anything which scopes the key lacks.
    func values(for visit: Visit) async throws -> [String: any Sendable] {
        var values = try await load(visit)
        let tenant = TenantID(visit.tenant)
        let lacking = scopes.filter { visit.signed?.grant.allows($0, for: tenant) == false }
        values["lacking"] = lacking.map(\.rawValue).joined(separator: " and ")
        return values
    }
}

/// The answer to a visit.
enum ConsoleAnswer: Sendable {
    case page(String, [String: any Sendable], HTTPResponse.Status = .ok)
    case file(type: String, [UInt8], name: String? = nil)
    /// Server-sent events.
    case stream(type: String, ResponseBody, name: String? = nil)
    case redirect(to: String)
    case signedIn(SessionToken, to: String)
    /// Asks to send again what was sent when there was no session.
    case resumed(SessionToken, [String: any Sendable])
    case signedOut

    func response(for visit: Visit, _ pages: Pages) -> Response {
        switch self {
        case .page(let name, let values, let status):
            return pages.response(status, name, values, for: visit)
        case .file(let type, let bytes, let name):
            return Self.file(type, ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)), name)
        case .stream(let type, let body, let name): return Self.file(type, body, name)
        case .redirect(let place):
            return Response(status: .seeOther, headers: [.location: place, .cacheControl: "no-store"])
        case .signedIn(let token, let place):
            return Self.response(to: place, cookie: token.text, seconds: 30 * 86_400, for: visit)
        case .resumed(let token, let values):
            var response = pages.response(.ok, "resume", values, for: visit)
            response.headers[.setCookie] = Self.cookie(token.text, seconds: 30 * 86_400, for: visit)
            return response
        case .signedOut:
            return Self.response(to: "/console/sign-in", cookie: "", seconds: 0, for: visit)
        }
    }

    private static func file(_ type: String, _ body: ResponseBody, _ name: String?) -> Response {
        var headers: HTTPFields = [.contentType: type, .cacheControl: "no-store"]
        // A file that is opened by itself runs nothing, and only pages of this server show it inside.
        headers[.contentSecurityPolicy] =
            "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
        if let name { headers[.contentDisposition] = "attachment; filename=\"\(name)\"" }
        return Response(status: .ok, headers: headers, body: body)
    }

    private static func response(to place: String, cookie: String, seconds: Int, for visit: Visit) -> Response {
        let cookie = Self.cookie(cookie, seconds: seconds, for: visit)
        return Response(
            status: .seeOther,
            headers: [.location: place, .cacheControl: "no-store", .setCookie: cookie]
        )
    }

    private static func cookie(_ value: String, seconds: Int, for visit: Visit) -> String {
        let isSecure = visit.isSecure
        let name = isSecure ? Visit.cookies.secure : Visit.cookies.plain
        let attributes = "Path=/; Max-Age=\(seconds); HttpOnly; SameSite=Lax\(isSecure ? "; Secure" : "")"
        return "\(name)=\(value); \(attributes)"
    }
}

/// The templates of all pages, and what they load.
struct Pages: Sendable {
    let style: Response
    let script: Response
    private let library: MustacheLibrary
    /// Names the versions of style and script in their addresses, so that browsers keep them.
    private let version: String

    static let files: [(name: String, bytes: [UInt8])] = [
        ("event", PackageResources.event_mustache), ("event-row", PackageResources.event_row_mustache),
        ("events", PackageResources.events_mustache),
        ("layout", PackageResources.layout_mustache), ("link", PackageResources.link_mustache),
        ("link-fields", PackageResources.link_fields_mustache), ("links", PackageResources.links_mustache),
        ("links-many", PackageResources.links_many_mustache),
        ("listing", PackageResources.listing_mustache),
        ("live", PackageResources.live_mustache), ("open", PackageResources.open_mustache),
        ("numbers", PackageResources.numbers_mustache), ("numbers-filter", PackageResources.numbers_filter_mustache),
        ("pattern", PackageResources.pattern_mustache), ("place", PackageResources.place_mustache),
        ("plan", PackageResources.plan_mustache), ("problem", PackageResources.problem_mustache),
        ("publish", PackageResources.publish_mustache), ("refusal", PackageResources.refusal_mustache),
        ("replay", PackageResources.replay_mustache), ("resume", PackageResources.resume_mustache),
        ("revision", PackageResources.revision_mustache),
        ("revisions", PackageResources.revisions_mustache), ("route", PackageResources.route_mustache),
        ("routes", PackageResources.routes_mustache), ("setup-about", PackageResources.setup_about_mustache),
        ("setup-form", PackageResources.setup_form_mustache), ("setup-host", PackageResources.setup_host_mustache),
        ("setup-key", PackageResources.setup_key_mustache), ("setup-list", PackageResources.setup_list_mustache),
        ("setup-notes", PackageResources.setup_notes_mustache),
        ("setup-secret", PackageResources.setup_secret_mustache), ("setup-tabs", PackageResources.setup_tabs_mustache),
        ("sign-in", PackageResources.sign_in_mustache),
        ("stations", PackageResources.stations_mustache), ("tenants", PackageResources.tenants_mustache),
        ("token", PackageResources.token_mustache), ("try", PackageResources.try_mustache),
        ("unmatched", PackageResources.unmatched_mustache),
    ]

    private static let entries = ["Try", "Links", "Routes", "Numbers", "Setup"]

    /// No page loads anything from another host, and no script or style is inside of a page.
    private static let policy = """
        default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; \
        form-action 'self'; base-uri 'none'; frame-ancestors 'none'
        """

    init() {
        var library = MustacheLibrary()
        for file in Self.files {
            do {
                try library.register(String(decoding: file.bytes, as: UTF8.self), named: file.name)
            } catch {
                preconditionFailure("the templates are part of this program, and a test renders them: \(error)")
            }
        }
        self.library = library
        style = Self.file(PackageResources.console_css, "text/css; charset=utf-8")
        script = Self.file(PackageResources.console_js, "text/javascript; charset=utf-8")
        let hash = SHA256.hash(data: PackageResources.console_css + PackageResources.console_js)
        version = hash.prefix(6).map { String($0, radix: 16) }.joined()
    }

    private static func file(_ bytes: [UInt8], _ type: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: type, .cacheControl: "public, max-age=31536000, immutable",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
        )
    }

    /// The value without empty texts, which templates take for true.
    private static func withoutEmptyTexts(_ value: any Sendable) -> (any Sendable)? {
        switch value {
        case let text as String: text.isEmpty ? nil : text
        case let values as [String: any Sendable]: values.compactMapValues(withoutEmptyTexts)
        case let elements as [any Sendable]: elements.map { withoutEmptyTexts($0) ?? "" } as [any Sendable]
        default: value
        }
    }

    /// A part of a page.
    func text(_ name: String, _ values: Any?) -> String { library.render(values ?? "", withTemplate: name) ?? "" }

    func response(
        _ status: HTTPResponse.Status,
        _ name: String,
        _ values: [String: any Sendable],
        for visit: Visit
    ) -> Response {
        var values = values
        values["files"] = version
        if let signed = visit.signed {
            values["person"] = signed.grant.name
            values["formToken"] = signed.token.formToken
        }
        if !visit.tenant.isEmpty {
            let part = visit.place.split(separator: "/").dropFirst(2).first?.prefix { $0 != "?" }
            values["tenant"] = visit.tenant
            values["entries"] = Self.entries.map { name in
                ["name": name, "place": name.lowercased(), "isCurrent": part == name.lowercased()[...]]
                    as [String: any Sendable]
            }
        }
        let kept = visit.draftItems.text
        values["kept"] = kept.isEmpty ? "" : "?" + kept
        values["more"] = kept.isEmpty ? "" : "&" + kept
        // A link cannot replace what is stored in a form.
        let form = visit.request.method == .post ? [:] : values["form"] as? [String: String] ?? [:]
        values["form"] = visit.typed.merging(form) { $1 }.filter { !$0.value.isEmpty }
        let html = text(name, Self.withoutEmptyTexts(values))
        return Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-store",
                .contentSecurityPolicy: Self.policy,
                // The address of that page has a token.
                .referrerPolicy: name == "open" ? "no-referrer" : "same-origin",
            ],
            body: ResponseBody(byteBuffer: ByteBuffer(string: html))
        )
    }
}
