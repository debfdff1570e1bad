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
}
