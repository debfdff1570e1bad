import Foundation
import LinkRouting
import StubMatching

extension StubFolder {
    /// The stubs of the folder in the order in which they were recorded.
    func recordedStubs() throws(StubStartFailure) -> [StubMapping] {
        guard FileManager.default.fileExists(atPath: mappings) else {
            throw StubStartFailure(
                kind: .unreadableMapping,
                description: "\(path) has no folder 'mappings'; name the folder of a stub server",
                details: []
            )
        }
        // Ids of stubs without one are not shown.
        let (stubs, problems) = self.stubs(templating: .perStub) { "00000000-0000-4000-8000-000000000000" }
        guard let problem = problems.first else { return stubs.map(\.stub).inRecordedOrder }
        throw StubStartFailure(
            kind: .unreadableMapping,
            description: "\(problem)",
            details: problems.dropFirst().prefix(20).map(\.description)
        )
    }

    /// The body of a stub's response, which is not a template; nil if its file is missing.
    func body(of stub: StubMapping) -> [UInt8]? {
        switch stub.response.body {
        case .none: []
        case .text(let text): Array(text.utf8)
        case .json(let node): Array(node.json().utf8)
        case .bytes(let bytes): bytes
        case .file(let name): content(of: name)
        }
    }

    /// Writes a recorded stub and its body.
    ///
    /// - Parameter order: Its position in the recording. The same requests get the same positions in another recording.
    func write(_ recorded: Recording.Stub, order: Int) throws {
        if let body = recorded.body { _ = try write(body.bytes, toBodyFile: body.file) }
        let stub = try StubMapping(MappingField(recorded.json), templating: .off) {
            preconditionFailure("a recorded stub has an id")
        }
        try write(stub, toMappingFile: MappingName.file(of: stub), order: order)
    }

    /// Throws unless the folder is new, empty, or the folder of a stub server: recordings must not be mixed with other
    /// files.
    func refuseOtherContent() throws(StubStartFailure) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        guard !names.isEmpty, !names.contains("mappings"), !names.contains("__files") else { return }
        throw StubStartFailure(
            kind: .otherContent,
            description: "\(path) has other content; name a new folder, or one with 'mappings' and '__files'",
            details: []
        )
    }
}
