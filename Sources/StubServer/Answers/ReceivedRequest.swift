import StubMatching

/// A request as it arrived, complete with its body.
struct ReceivedRequest: Sendable {
    let method: String
    let target: String
    let version: String
    let headers: [HeaderField]
    let body: [UInt8]
    let clientAddress: String
    let localPort: Int
    let scheme: String

    /// Whether the client compressed the body.
    var isGzipped: Bool {
        !body.isEmpty && headers.contains { $0.has(name: "content-encoding") && BodyCoding.isGzip($0.value) }
    }
}
