import Crypto
import LinkRouting
import OutboundHTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One object that is being written: a single request when it is small, else a multipart upload, one part in memory at a time.
/// Nobody sees anything of it before ``finish(sha256:)``.
actor S3ExportFile: ExportFile {
    private let client: S3Client
    private let path: String
    private let key: String
    private var part: [UInt8] = []
    private var upload: Upload?

    private struct Upload {
        let id: String
        /// Of the parts that are sent, in their order.
        var eTags: [String] = []
    }

    /// S3 takes at most 10,000 parts of at least 5 MiB: 78 GiB with these.
    static let partBytes = 8 << 20
    private static let mostParts = 10_000

    init(_ client: S3Client, path: String) {
        self.client = client
        self.path = path
        key = client.location.key(path)
    }

    func write(_ bytes: ArraySlice<UInt8>) async throws {
        var rest = bytes
        while !rest.isEmpty {
            let piece = rest.prefix(Self.partBytes - part.count)
            part += piece
            rest = rest.dropFirst(piece.count)
            if part.count == Self.partBytes { try await sendPart() }
        }
    }

    func finish(sha256: String) async throws {
        let answer: S3Client.Answer
        if upload == nil {
            let request = S3Client.Request(
                method: .put,
                key: key,
                headers: [("Content-Type", "application/gzip"), ("If-None-Match", "*")],
                body: part
            )
            answer = try await client.send(request, expecting: [412])
        } else {
            if !part.isEmpty { try await sendPart() }
            answer = try await complete()
        }
        part = []
        guard answer.status != 200 else {
            upload = nil
            return
        }
        // Somebody wrote it before: this very request, whose answer was lost, or a run that was stopped.
        let stored = try await digest()
        await discard()
        guard stored == sha256 else { throw ExportFailure.occupied(path) }
    }

    func discard() async {
        part = []
        guard let upload else { return }
        self.upload = nil
        let request = S3Client.Request(method: .delete, key: key, query: [("uploadId", upload.id)])
        // A bucket's lifecycle rule removes what cannot be removed now.
        _ = try? await client.send(request, expecting: [404])
    }

    private func sendPart() async throws {
        var upload = try await begun()
        guard upload.eTags.count < Self.mostParts else {
            throw S3Failure(
                "'\(path)' has more than \(Self.mostParts) parts of \(Self.partBytes) bytes; export more often"
            )
        }
        let request = S3Client.Request(
            method: .put,
            key: key,
            query: [("partNumber", "\(upload.eTags.count + 1)"), ("uploadId", upload.id)],
            body: part
        )
        let answer = try await client.send(request)
        guard let eTag = answer.eTag else { throw S3Failure("S3 gave a part of '\(path)' no ETag") }
        upload.eTags.append(eTag)
        self.upload = upload
        part.removeAll(keepingCapacity: true)
    }

    private func begun() async throws -> Upload {
        if let upload { return upload }
        let request = S3Client.Request(
            method: .post,
            key: key,
            query: [("uploads", "")],
            headers: [("Content-Type", "application/gzip")]
        )
        guard let id = S3XML(try await client.send(request).body)["UploadId"].first else {
            throw S3Failure("S3 began no upload of '\(path)'")
        }
        let upload = Upload(id: id)
        self.upload = upload
        return upload
    }

    private func complete() async throws -> S3Client.Answer {
        guard let upload else { preconditionFailure("only an upload that was begun is completed") }
        var body = "<CompleteMultipartUpload>"
        for (index, eTag) in upload.eTags.enumerated() {
            body += "<Part><PartNumber>\(index + 1)</PartNumber><ETag>\(eTag.escapedForXML)</ETag></Part>"
        }
        body += "</CompleteMultipartUpload>"
        let request = S3Client.Request(
            method: .post,
            key: key,
            query: [("uploadId", upload.id)],
            headers: [("Content-Type", "application/xml"), ("If-None-Match", "*")],
            body: Array(body.utf8)
        )
        let answer = try await client.send(request, expecting: [412, 404])
        // The upload is unknown once it is completed; unless an answer was lost, it was never there.
        if answer.status == 404, !answer.followsLostAnswer { throw S3Failure(request, answer) }
        return answer
    }

    /// Of the object that is there; nil when there is none.
    private func digest() async throws -> String? {
        let sink = S3ExportSink(client)
        var (hash, offset) = (SHA256(), Int64(0))
        while let chunk = try await sink.read(path, from: offset, count: Self.partBytes) {
            guard !chunk.isEmpty else { return hash.finalize().hexadecimal }
            hash.update(data: chunk)
            offset += Int64(chunk.count)
        }
        return nil
    }
}
