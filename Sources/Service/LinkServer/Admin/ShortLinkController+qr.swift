package import HTTPTransport
import HTTPTypes
import Hummingbird
import LinkCatalog
import NIOCore

extension ShortLinkController {
    @Sendable func svg(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let code = try await qrCode(request, context)
        return Self.image("image/svg+xml", ByteBuffer(string: try code.svg(try QRCodeStyle(request))))
    }

    @Sendable func png(_ request: Request, _ context: ServerRequestContext) async throws -> Response {
        let code = try await qrCode(request, context)
        return Self.image("image/png", ByteBuffer(bytes: try code.png(try QRCodeStyle(request))))
    }

    /// Makes the QR code of a link's first address, or of the first one on `?host=`.
    private func qrCode(_ request: Request, _ context: ServerRequestContext) async throws -> QRCode {
        let entry = try await reader(request, context)
        let link = try await link(try code(context), of: entry)
        guard let level = QRCode.Level(rawValue: request.parameter("level") ?? QRCode.Level.medium.rawValue) else {
            throw Problem(.invalidRequest, "'level' must be L, M, Q or H.")
        }
        let urls = catalog.current.table(of: entry.tenant)?.urls(of: link.code) ?? []
        let host = request.parameter("host")
        guard let url = urls.first(where: { $0.hasPrefix("https://\(host.map { "\($0)/" } ?? "")") }) else {
            throw Problem(
                .unknownShortLink,
                "No route of the live table leads to this short link\(host.map { " on the host '\($0)'" } ?? ""); its "
                    + "'urls' are at …/short-links/\(link.code)."
            )
        }
        return try QRCode(QRCode.marked(url), level: level)
    }

    private static func image(_ type: String, _ bytes: ByteBuffer) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: type, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: bytes)
        )
    }
}

extension QRCodeStyle {
    /// Reads `?size=`, `?quietZone=`, `?color=` and `?background=`.
    fileprivate init(_ request: Request) throws {
        func number(_ name: String) throws -> Int? {
            guard let text = request.parameter(name) else { return nil }
            guard let number = Int(text) else { throw Problem(.invalidRequest, "'\(name)' must be a number.") }
            return number
        }
        func color(_ name: String) throws -> RGBColor? {
            guard let text = request.parameter(name) else { return nil }
            guard let color = RGBColor(text) else {
                throw Problem(.invalidRequest, "'\(name)' must be six hexadecimal digits, such as 1a2b3c.")
            }
            return color
        }
        try self.init(
            size: number("size"),
            quietZone: number("quietZone"),
            color: color("color"),
            background: color("background")
        )
    }
}

extension QRCodeError: ProblemConvertible {
    package var problem: Problem { Problem(.invalidRequest, description) }
}
