package import LinkRouting
import Networking

/// Exports in a bucket. Objects appear atomically. `If-None-Match: *` prevents two writers from replacing each other's
/// objects; an existing object with the same content counts as success.
package struct S3ExportSink: ExportSink {
    package let kind = "s3"
    private let client: S3Client

    package init(_ client: S3Client) { self.client = client }

    package func create(_ path: String) async throws -> any ExportFile { S3ExportFile(client, path: path) }

    package func write(_ bytes: [UInt8], to path: String, over previous: ExportOverwriting) async throws {
        var request = S3Client.Request(method: .put, key: client.location.key(path), body: bytes)
        switch previous {
        case .allowed: _ = try await client.send(request)
        case .refused:
            request.headers = [("If-None-Match", "*")]
            let answer = try await client.send(request, expecting: [412])
            guard answer.status == 412 else { return }
            let stored = try await read(path, from: 0, count: bytes.count + 1)
            guard stored == bytes else { throw ExportFailure.occupied(path) }
        }
    }

    package func read(_ path: String, from offset: Int64, count: Int) async throws -> [UInt8]? {
        guard offset >= 0, count > 0 else { return nil }
        let (last, overflow) = offset.addingReportingOverflow(Int64(count) - 1)
        guard !overflow else { return [] }
        let request = S3Client.Request(
            key: client.location.key(path),
            headers: [("Range", "bytes=\(offset)-\(last)")]
        )
        let answer = try await client.send(request, expecting: [404, 416])
        switch answer.status {
        case 404:
            guard answer.code != "NoSuchBucket" else { throw S3Failure(request, answer) }
            return nil
        // The range begins after the end, or the object is empty.
        case 416: return []
        // The server does not support ranges, or the object is not larger than the range.
        case 200: return offset < Int64(answer.body.count) ? Array(answer.body[Int(offset)...].prefix(count)) : []
        default: return answer.body
        }
    }

    package func paths(of tenant: TenantID) async throws -> [String] {
        var paths: [String] = []
        var token: String?
        repeat {
            var query = [
                (name: "list-type", value: "2"),
                (name: "prefix", value: client.location.key("tenant=\(tenant)/")),
            ]
            if let token { query.append((name: "continuation-token", value: token)) }
            let list = S3XML(try await client.send(S3Client.Request(query: query)).body)
            paths += list["Key"].compactMap { client.location.path($0) }.filter { $0.contains("/events-") }
            token = list["IsTruncated"].first == "true" ? list["NextContinuationToken"].first : nil
        } while token != nil
        return paths
    }

    package func remove(_ path: String) async throws {
        let request = S3Client.Request(method: .delete, key: client.location.key(path))
        _ = try await client.send(request, expecting: [404])
    }
}
