import Crypto
import LinkRouting
import Networking

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// One object that is being written. A small object is sent in a single request; a large one is a multipart upload with
/// one part in memory at a time. The object is invisible before ``finish(sha256:)``.
actor S3ExportFile: ExportFile {
    private let client: S3Client
    private let path: String
    private let key: String
    private var part: [UInt8] = []
    private var upload: Upload?

    private struct Upload {
        let id: String
        /// The ETags of the uploaded parts, in order.
        var eTags: [String] = []
    }

    /// S3 accepts at most 10,000 parts of at least 5 MiB: 78 GiB with this size.
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
        let answer: S3Client.Response
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
        // The object already exists: this request wrote it and the response was lost, or an interrupted run did.
        let stored = try await digest()
        await discard()
        guard stored == sha256 else { throw ExportFailure.occupied(path) }
    }

    func discard() async {
        part = []
        guard let upload else { return }
        self.upload = nil
        let request = S3Client.Request(method: .delete, key: key, query: [("uploadId", upload.id)])
        // If this fails, the bucket's lifecycle rule removes the upload.
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
        guard let eTag = answer.eTag else { throw S3Failure("S3 returned no ETag for a part of '\(path)'") }
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
            throw S3Failure("S3 returned no upload id for '\(path)'")
        }
        let upload = Upload(id: id)
        self.upload = upload
        return upload
    }

    private func complete() async throws -> S3Client.Response {
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
        // A completed upload is no longer known. A 404 without a lost response means that it never existed.
        if answer.status == 404, !answer.followsLostAnswer { throw S3Failure(request, answer) }
        return answer
    }

    /// Returns the SHA-256 of the existing object; nil if there is none.
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
