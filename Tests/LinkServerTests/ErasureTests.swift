import Foundation
import HTTPTypes
import LinkRouting
import Testing

/// The contents of the data directory after an erasure.
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
}
