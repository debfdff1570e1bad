import HTTPTransport
import LinkCatalog
import LinkRouting
import NIOCore

/// Reads NDJSON: one link a line.
enum ShortLinkLines {
    private static let maximumLine = 32 << 10
    private static let maximumValues = 100

    static func read(_ body: ByteBufferView, by actor: Actor, at now: Timestamp) throws -> [ShortLinkService.Line] {
        let lines = body.split(
            separator: UInt8(ascii: "\n"),
            maxSplits: ShortLinkService.maximumLines,
            omittingEmptySubsequences: false
        )
        guard lines.count <= ShortLinkService.maximumLines || lines.last?.isEmpty == true else {
            throw Problem(
                .bodyTooLarge,
                "The body has more than \(ShortLinkService.maximumLines) lines; send them in several requests."
            )
        }
        return lines.enumerated().compactMap { index, line -> ShortLinkService.Line? in
            // A blank line.
            guard line.contains(where: { ![0x20, 0x09, 0x0D].contains($0) }) else { return nil }
            let limits = JSONReader.Limits(maximumBytes: maximumLine, maximumDepth: 4, maximumValues: maximumValues)
            var code: String?
            let link: Result<NewShortLink, any Error> = Result {
                let node = try JSONReader.parse(line, limits: limits)
                code = node["code"]?.text
                return try ShortLinkController.read { () throws(DocumentError) in
                    try NewShortLink(DocumentField(node, path: ""), NewShortLink.keysOfLine, by: actor, at: now)
                }
            }
            return ShortLinkService.Line(number: index + 1, code: code, link: link)
        }
    }
}

extension ShortLinkService.Line {
    /// `{line, code, status, error: {code, message}}`
    func json(_ result: Result<ShortLinkCreation, any Error>) -> JSONNode {
        var (code, status, error) = (self.code, "error", Optional<any Error>.none)
        switch result {
        case .success(.created(let link)): (code, status) = (link.code.rawValue, "created")
        case .success(.reused(let link)): (code, status) = (link.code.rawValue, "reused")
        case .success(.taken(let link)):
            code = link.code.rawValue
            if case .success(let new) = self.link, new.content.target.isExactly(link.content.target) {
                status = "exists"
            } else {
                error = ShortLinkService.Failure.codeTaken(link.code)
            }
        case .success(.full(let ofApps)): error = ShortLinkService.Failure.tooManyLinks(ofApps: ofApps)
        case .failure(let failure): error = failure
        }
        let problem = error.map { Problem(of: $0) }
        return .object([
            "line": .int(number), "code": code.map(JSONNode.string), "status": .string(status),
            "error": problem.map {
                .object(["code": .string($0.code.rawValue), "message": .string($0.detail)])
            },
        ])
    }
}
