import NIOCore
import Networking
import Synchronization
import TestSupport
import Testing

/// Which addresses a request may reach if its URL is untrusted, such as a webhook's.
@Suite(.timeLimit(.minutes(15)))
struct WebhookReachTests {
    /// A name server with a sequence of answers; it repeats the last one.
    private final class NameServer: Sendable {
        private let state: Mutex<(answers: [[String]], queries: [String])>

        init(_ answers: [String]...) { state = Mutex((answers, [])) }

        var queries: [String] { state.withLock(\.queries) }

        func lookUp(_ host: String) -> [NetworkAddress] {
            state.withLock { state in
                state.queries.append(host)
                let answer = state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
                return answer.compactMap { NetworkAddress($0) }
            }
        }
    }

    /// No limit of production decides a test.
    private let patient = OutboundHTTP(timeout: .seconds(Int64(HangLimit.seconds)))

    private func http(_ names: NameServer, allowing ranges: String...) -> OutboundHTTP {
        OutboundHTTP(
            timeout: .seconds(Int64(HangLimit.seconds)),
            reach: .publicAddresses(and: ranges.compactMap { AddressRange($0) }),
            lookUp: { names.lookUp($0) }
        )
    }

    private func failure(_ http: OutboundHTTP, _ url: String) async -> OutboundHTTP.Failure.Kind? {
        do {
            _ = try await http.post(url, json: Array("{}".utf8))
            return nil
        } catch { return error.kind }
    }

    /// AsyncHTTPClient would trap.
    @Test(arguments: ["HTTP/1.1 000 X\r\nContent-Length: 2\r\n\r\nok", "HTTP/1.1 7 X\r\n\r\nok"])
    func invalidStatusIsAFailure(response: String) async throws {
        let receiver = try SocketServer(.text(response))
        defer { receiver.end() }
        #expect(await failure(patient, receiver.url("/")) == .unreachable)
    }

    /// The text of the TLS library contains paths of the build.
    @Test(
        arguments: [
            // The number of a fatal alert; nil for a server that closes the connection.
            (40, "the TLS handshake with 127.0.0.1 failed (", "ALERT_HANDSHAKE_FAILURE): server and client have"),
            (112, "the TLS handshake with 127.0.0.1 failed (", "UNRECOGNIZED_NAME): the server has no certificate"),
            (116, "the TLS handshake with 127.0.0.1 failed (", "CERTIFICATE_REQUIRED): the server requires a client"),
            (80, "the TLS handshake with 127.0.0.1 failed (", "ALERT_INTERNAL_ERROR); check the certificate"),
            (nil, "the server closed the connection", ""),
        ] as [(UInt8?, String, String)]
    )
    func failedHandshakeIsExplained(alert: UInt8?, start: String, rest: String) async throws {
        let server = try SocketServer(.bytesAtOnce(alert.map { [21, 3, 3, 0, 2, 2, $0] } ?? []))
        defer { server.end() }
        do {
            _ = try await patient.get("https://127.0.0.1:\(server.port)/")
            Issue.record("the handshake succeeded")
        } catch {
            #expect(error.kind == .unreachable)
            #expect(error.reason.hasPrefix(start) && (rest.isEmpty || error.reason.contains(rest)), "\(error)")
            #expect(!error.reason.contains(".cc") && !error.reason.contains("OPENSSL"), "\(error)")
        }
    }

    @Test(arguments: ["http://127.0.0.1:65536/", "https://127.0.0.1:99999/", "http://hook.test:9999999999/"])
    func invalidPortIsAFailure(url: String) async {
        #expect(await failure(patient, url) == .unreachable)
        #expect(await failure(http(NameServer(["127.0.0.1"]), allowing: "127.0.0.1"), url) == .unreachable)
    }

    /// DNS rebinding: a name with a public address at the check and a private one at the connection.
    @Test func nameIsResolvedOnceAndTheCheckedAddressIsUsed() async throws {
        let receiver = try WebhookReceiver(.status(204))
        defer { receiver.stop() }
        let names = NameServer(["127.0.0.1"], ["10.255.255.1"])
        let url = "http://rebinding.test:\(receiver.port)/hook"
        let response = try await http(names, allowing: "127.0.0.1").post(url, json: Array("{}".utf8))
        #expect(response.status == 204)
        #expect(names.queries == ["rebinding.test"])
        #expect(receiver.deliveries.first?.headers["host"] == "rebinding.test:\(receiver.port)")
        #expect(
            await failure(http(names, allowing: "127.0.0.1"), url) == .privateAddress,
            "it is judged anew each time"
        )
    }

    @Test(arguments: [
        ["127.0.0.1"], ["1.1.1.1", "10.0.0.1"], ["2606:4700::1", "fd00::1"], ["::ffff:192.168.0.1"], ["0.0.0.0"],
        ["::"],
        ["::1"], ["64:ff9b::a9fe:a9fe"], ["2002:7f00:1::"], ["169.254.169.254"], ["fe80::1%lo"], ["::127.0.0.1"],
        ["100.100.100.200"], ["255.255.255.255"],
    ])
    func nameWithAPrivateAddressIsNotContacted(addresses: [String]) async {
        #expect(await failure(http(NameServer(addresses)), "https://hook.test/") == .privateAddress)
    }

    /// The system's resolver accepts every notation of an address that the C library accepts.
    @Test(arguments: [
        "127.0.0.1", "localhost", "LOCALHOST", "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0x7f.1",
        "017700000001", "0", "0.0.0.0", "[::1]", "[::]", "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
        "[64:ff9b::7f00:1]", "[2002:7f00:1::1]", "[::127.0.0.1]", "10.0.0.1", "169.254.169.254", "[fd00:ec2::254]",
    ])
    func everySpellingOfAPrivateAddressIsRefused(host: String) async throws {
        let receiver = try WebhookReceiver(.status(200))
        defer { receiver.stop() }
        let guarded = OutboundHTTP(timeout: .seconds(Int64(HangLimit.seconds)), reach: .publicAddresses(and: []))
        for scheme in ["http", "https", "HTTP"] {
            let url = "\(scheme)://\(host):\(receiver.port)/"
            #expect(await failure(guarded, url) == .privateAddress, "\(url)")
        }
        #expect(receiver.deliveries.isEmpty)
    }

    /// Only the HTTP client parses the URL: the request goes to the checked host's address, or nowhere.
    @Test(arguments: [
        "http://1.1.1.1@HOST/", "http://user:1.1.1.1@HOST/", "http://HOST#@1.1.1.1/", "http://HOST?@1.1.1.1/",
        "http://1.1.1.1\\@HOST/", "http://HOST\\@1.1.1.1/", "http://1.1.1.1%2F@HOST/", "http://1.1.1.1%40HOST/",
        "http://1。1。1。1:80@HOST/", "http:////HOST/", "http:HOST/", "http://[HOST]/", "http://HOST:80:81/", "//HOST/",
        "HOST",
        "http+unix://%2Ftmp%2Fx/", "https+unix://%2Ftmp%2Fx/", "unix:///tmp/x", "file:///etc/passwd", "gopher://HOST/",
        "http:///x", "http://", "",
    ])
    func ambiguousURLReachesOnlyTheCheckedAddress(url: String) async throws {
        let receiver = try WebhookReceiver(.status(204))
        defer { receiver.stop() }
        let names = NameServer(["127.0.0.1"])
        let url = url.replacing("HOST", with: "hook.test:\(receiver.port)")
        let kind = await failure(http(names, allowing: "127.0.0.1"), url)
        #expect(receiver.deliveries.isEmpty == (kind != nil), "\(url): \(String(describing: kind))")
        #expect(names.queries.count <= 1)
        #expect(await failure(http(names), url) != nil, "without the range it leads nowhere at all")
        #expect(receiver.deliveries.count <= 1)
    }

    @Test(arguments: [301, 302, 303, 307, 308])
    func redirectIsNotFollowed(status: Int) async throws {
        let inner = try WebhookReceiver(.status(200))
        let outer = try WebhookReceiver(.redirect(status, to: inner.url))
        defer {
            inner.stop()
            outer.stop()
        }
        let names = NameServer(["127.0.0.1"])
        let url = "http://hook.test:\(outer.port)/"
        let response = try await http(names, allowing: "127.0.0.0/8").post(url, json: Array("{}".utf8))
        #expect(response.status == status)
        #expect(outer.deliveries.count == 1 && inner.deliveries.isEmpty)
    }

    @Test func rangeOpensItsAddressesOnly() async throws {
        let receiver = try WebhookReceiver(.status(200))
        defer { receiver.stop() }
        let url = "http://hook.test:\(receiver.port)/"
        let names = NameServer(["127.0.0.1"])
        #expect(await failure(http(names, allowing: "10.0.0.0/8", "127.0.0.2"), url) == .privateAddress)
        #expect(await failure(http(names, allowing: "10.0.0.0/8", "127.0.0.0/30"), url) == nil)
        #expect(await failure(http(NameServer([]), allowing: "0.0.0.0/0"), url) == .unknownHost)
    }
}
