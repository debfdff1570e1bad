import StubMatching

/// A request as it arrived, complete with its body.
struct ReceivedRequest: Sendable {
    let method: String
    let target: String
    let version: String
    let headers: [HeaderField]
    let body: [UInt8]
    let clientAddress: String
    /// The address at which the connection arrived.
    let localAddress: String
    let localPort: Int
    let scheme: String

    /// The values of all headers with this name, ignoring case.
    func values(of name: String) -> [String] { headers.filter { $0.has(name: name) }.map(\.value) }

    /// `example.org:81` or `[::1]:81`.
    static func hostAndPort(_ authority: String) -> (host: String, port: Int?) {
        guard let colon = authority.lastIndex(of: ":"), let port = Int(authority[authority.index(after: colon)...])
        else {
            return (authority, nil)
        }
        return (String(authority[..<colon]), port)
    }

    /// Whether the client compressed the body.
    var isGzipped: Bool {
        !body.isEmpty && headers.contains { $0.has(name: "content-encoding") && BodyCoding.isGzip($0.value) }
    }
}
