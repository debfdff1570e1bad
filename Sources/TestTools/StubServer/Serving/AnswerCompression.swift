import Networking
import StubMatching

/// Compresses answers for clients that accept gzip, by the rules of WireMock 2.35.1 (Jetty's GzipHandler).
struct AnswerCompression {
    /// Smaller bodies are sent as they are.
    private static let smallestBody = 32
    /// Smaller bodies are compressed on the event loop.
    private static let largestQuickBody = 8 << 10
    /// Larger bodies are sent as they are, because each compressed answer is another copy in memory.
    private static let largestBody = 16 << 20
    private static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    /// Contents that are compressed already.
    private static let excludedTypes = [
        "application/bzip2", "application/brotli", "application/compress", "application/gzip", "application/x-gzip",
        "application/x-rar-compressed", "application/x-xz", "application/zip",
    ]

    /// Nil if the request's method or its `Accept-Encoding` excludes compression.
    init?(for request: ReceivedRequest) {
        guard Self.methods.contains(request.method),
            request.headers.contains(where: {
                $0.has(name: "accept-encoding") && AcceptEncoding.allows("gzip", in: $0.value)
            })
        else { return nil }
    }

    func apply(to handling: Handling) -> Handling {
        switch handling {
        case .answer(let answer):
            guard isWorthwhile(answer) else { return handling }
            return answer.body.count <= Self.largestQuickBody
                ? .answer(compressed(answer)) : .blocking { compressed(answer) }
        case .blocking(let work): return .blocking { compressed(work()) }
        case .asynchronous(let work):
            return .asynchronous {
                let answer = await work()
                guard isWorthwhile(answer) else { return answer }
                return await offEventLoop { compressed(answer) }
            }
        }
    }

    private func isWorthwhile(_ answer: StubAnswer) -> Bool {
        guard (200..<300).contains(answer.status), ![204, 205].contains(answer.status), answer.fault == nil,
            !answer.isExact, (Self.smallestBody...Self.largestBody).contains(answer.body.count),
            answer.header("content-encoding") == nil
        else { return false }
        let type = (answer.header("content-type") ?? "").lowercased().prefix { $0 != ";" }
        guard !Self.excludedTypes.contains(String(type).trimmingBlanks) else { return false }
        return type.hasPrefix("image/svg") || !["image/", "audio/", "video/"].contains { type.hasPrefix($0) }
    }

    private func compressed(_ answer: StubAnswer) -> StubAnswer {
        guard isWorthwhile(answer) else { return answer }
        do {
            var compressed = answer
            compressed.body = try BodyCoding.gzip(answer.body)
            compressed.headers.append(HeaderField("Content-Encoding", "gzip"))
            compressed.headers.append(HeaderField("Vary", "Accept-Encoding"))
            return compressed
        } catch {
            return .text(500, "The answer could not be compressed: \(error)\n")
        }
    }
}
