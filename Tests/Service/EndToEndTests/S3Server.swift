import Foundation
import LinkEvents
import LinkRouting
import NIOCore
import Networking
import Synchronization
import TestSupport

/// SeaweedFS from PyPI on free loopback ports, with one bucket and one pair of credentials. Ended by its process id.
final class S3Server: Sendable {
    static let bucket = "exports"
    static let accessKey = "AKTEST"
    static let secretKey = "SKTEST/with+signs="

    let endpoint: String
    private let process: ProcessBox

    private final class ProcessBox: Sendable {
        private let process: Mutex<Process>
        init(_ process: sending Process) { self.process = Mutex(process) }
        func end() {
            process.withLock { process in
                // Its clean shutdown takes ten seconds, and its files are removed anyway.
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
            }
        }
    }

    enum Failure: Error {
        case noFreePorts
        case didNotAnswer
    }

    /// The binary that `./dev test` installs; nil if it is missing.
    static let binary: String? = {
        let build = Repository.file(".build").path
        let folders = (try? FileManager.default.contentsOfDirectory(atPath: build)) ?? []
        return folders.filter { $0.hasPrefix("seaweedfs-") }.sorted().map { "\(build)/\($0)/bin/weed" }
            .last { FileManager.default.isExecutableFile(atPath: $0) }
    }()

    /// Starts in its own folder and creates the bucket.
    init(_ binary: String, in folder: String) async throws {
        guard let ports = Self.freePorts(4) else { throw Failure.noFreePorts }
        let identity = """
            {"identities": [{"name": "test", "actions": ["Admin", "Read", "List", "Write"],
             "credentials": [{"accessKey": "\(Self.accessKey)", "secretKey": "\(Self.secretKey)"}]}]}
            """
        try identity.write(toFile: folder + "/s3.json", atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(filePath: binary)
        process.arguments = [
            "server", "-dir=\(folder)", "-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-master.port=\(ports[0])",
            "-volume.port=\(ports[1])", "-filer=true", "-filer.port=\(ports[2])", "-s3=true", "-s3.port=\(ports[3])",
            "-s3.config=\(folder)/s3.json", "-s3.port.iceberg=0", "-s3.port.lance=0", "-master.telemetry=false",
            "-volume.max=20", "-master.volumeSizeLimitMB=64", "-filer.localSocket=\(folder)/filer.sock",
            "-s3.localSocket=\(folder)/s3.sock",
        ]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = ProcessBox(process)
        endpoint = "http://127.0.0.1:\(ports[3])"
        // Retries, because the first requests fail until its components have connected.
        for _ in 0..<300 {
            if try await makeBucket() { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        self.process.end()
        throw Failure.didNotAnswer
    }

    func stop() { process.end() }

    /// A location on the server, for signed requests.
    func location(prefix: String = "", addressing: S3Location.Addressing = .path) throws -> S3Location {
        try S3Location(
            endpoint: endpoint,
            bucket: Self.bucket,
            region: "us-east-1",
            prefix: prefix,
            addressing: addressing
        )
    }

    func sink(prefix: String = "", secret: String = secretKey) throws -> S3ExportSink {
        S3ExportSink(
            S3Client(
                location: try location(prefix: prefix),
                credentials: S3Credentials(accessKeyID: Self.accessKey, secretAccessKey: secret),
                http: OutboundHTTP(timeout: .seconds(60), maximumBytes: 16 << 20),
                now: { Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000)) },
                sleep: { try await Task.sleep(for: $0) }
            )
        )
    }

    private func makeBucket() async throws -> Bool {
        let location = try location()
        let signature = S3Signature(
            credentials: S3Credentials(accessKeyID: Self.accessKey, secretAccessKey: Self.secretKey),
            region: location.region
        )
        // The SHA-256 of an empty body.
        let digest = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        let request = S3Signature.Request(
            method: "PUT",
            path: "/\(Self.bucket)",
            headers: [("Host", String(endpoint.dropFirst("http://".count)))],
            bodySHA256: digest
        )
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        let answer = try? await OutboundHTTP(timeout: .seconds(5)).send(
            .put,
            "\(endpoint)/\(Self.bucket)",
            signature.headers(for: request, at: now),
            []
        )
        return answer?.status == 200
    }

    /// Ports whose counterpart 10,000 higher is free too, because SeaweedFS uses that for gRPC.
    private static func freePorts(_ count: Int) -> [UInt16]? {
        var ports: [UInt16] = []
        for _ in 0..<200 where ports.count < count {
            let port = UInt16.random(in: 20_000...32_000)
            if !ports.contains(port), isFree(port), isFree(port + 10_000) { ports.append(port) }
        }
        return ports.count == count ? ports : nil
    }

    private static func isFree(_ port: UInt16) -> Bool {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        address.sin_port = port.bigEndian
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}
