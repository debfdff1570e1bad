import Foundation
import HTTPTypes
import LinkEvents
import LinkRouting
import Networking
import Testing

/// The contents of the data directory after an erasure, and the answer if the exports are out of reach.
@Suite(.timeLimit(.minutes(15)))
struct ErasureTests {
    private func files(of service: TestService, holding text: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: service.directory).filter { path in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(service.directory)/\(path)", isDirectory: &isFolder)
            guard !isFolder.boolValue else { return false }
            let bytes = try Data(contentsOf: URL(filePath: "\(service.directory)/\(path)"))
            return bytes.range(of: Data(text.utf8)) != nil
        }
    }

    @Test func erasedTextsAreInNoFile() async throws {
        try await withService { service in
            let session = try await AdminSession.acme(service)
            let privacy = "privacy: {recordInstall: true, recordQuery: [email], recordTraits: [nickname]}"
            #expect(try await session.put("settings", yaml: AdminSession.settings + "\n" + privacy).status == 200)
            let body = #"""
                {"url": "acme://item/7?email=jane@mail.test", "context": {"platform": "ios", "stickyKey": "install-42",
                 "traits": {"nickname": "janey-the-great"}}}
                """#
            #expect(try await service.resolve(body, headers: [.userAgent: "JanesPhone/1.0"]).status == 200)
            for text in ["jane@mail.test", "janey-the-great", "JanesPhone"] {
                #expect(try !files(of: service, holding: text).isEmpty, "\(text)")
            }
            let erased = try await session.post("erasures", #"{"stickyKey": "install-42"}"#)
            #expect(erased.status == 201 && erased.json?["rows"]?.int == 1)
            for text in ["jane@mail.test", "janey-the-great", "JanesPhone", "install-42"] {
                #expect(try files(of: service, holding: text) == [], "\(text)")
            }
            let remains = (erased.json?["remains"]?.elements ?? []).compactMap(\.text)
            #expect(remains.contains { $0.hasPrefix("counts") } && remains.contains { $0.hasPrefix("backups") })
        }
    }

    /// The rows of the log are erased, but not those of the exports.
    @Test func erasureWithoutTheBucketIsNotComplete() async throws {
        let client = S3Client(
            location: try S3Location(
                endpoint: "http://127.0.0.1:1",
                bucket: "exports",
                region: "us-east-1",
                prefix: "",
                addressing: .path
            ),
            credentials: S3Credentials(accessKeyID: "id", secretAccessKey: "secret"),
            http: OutboundHTTP(),
            now: { Timestamp(milliseconds: 0) },
            sleep: { _ in }
        )
        try await withService(exportingTo: S3ExportSink(client)) { service in
            let session = try await AdminSession.acme(service)
            let settings = AdminSession.settings + "\nprivacy: {recordInstall: true}"
            #expect(try await session.put("settings", yaml: settings).status == 200)
            let body = #"{"url": "acme://item/7", "context": {"platform": "ios", "stickyKey": "install-42"}}"#
            #expect(try await service.resolve(body).status == 200)
            let answer = try await session.post("erasures", #"{"stickyKey": "install-42"}"#)
            #expect(answer.status == 503 && answer.code == "sink_unavailable", "\(answer.text)")
            let detail = answer.json?["detail"]?.text ?? ""
            #expect(detail.hasPrefix("The export destination failed: the S3 request GET"), "\(detail)")
            #expect(detail.hasSuffix("The erasure is not complete; send the request again when the destination works."))
        }
    }
}
