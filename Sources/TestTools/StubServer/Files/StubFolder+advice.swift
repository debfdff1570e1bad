import Foundation

/// Mistakes in the choice of the folder, and in its files.
extension StubFolder {
    /// Throws if the mappings are in the folder itself: no stub would be read.
    func refuseMisplacedMappings() throws(StubStartFailure) {
        guard isWithoutStubs else { return }
        let place = URL(filePath: path).standardizedFileURL
        guard place.lastPathComponent != "mappings" else {
            let parent = place.deletingLastPathComponent().path
            throw Self.misplaced("\(path) is the folder 'mappings' itself; name its parent folder, \(parent)")
        }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        guard !names.isEmpty, names.allSatisfy({ $0.hasSuffix(".json") }) else { return }
        throw Self.misplaced("\(path) has JSON files, but no folder 'mappings'; move them to \(mappings)")
    }

    private static func misplaced(_ description: String) -> StubStartFailure {
        StubStartFailure(kind: .unreadableMapping, description: description, details: [])
    }

    /// Whether the folder has none of the folders of a stub server.
    var isWithoutStubs: Bool {
        !FileManager.default.fileExists(atPath: mappings) && !FileManager.default.fileExists(atPath: files)
    }

    /// The first twenty lines about files in `mappings` that look like mappings and are not read.
    var unreadFiles: [String] {
        Self.names(in: mappings).filter { $0.hasSuffix(".yaml") || $0.hasSuffix(".yml") }.prefix(20)
            .map { "\(mappings)/\($0) is not read; mappings are JSON" }
    }
}
