import Foundation

extension StubFolder {
    /// Names in a data directory of the service, and in its folder.
    private static let productionNames = ["catalog.db", "catalog.db-wal", "running", "control.sock"]
        .flatMap { [$0, "service/" + $0] }

    /// Throws when the folder is the data directory of a service: a stub server writes and deletes files.
    func refuseProductionData() throws(StubStartFailure) {
        for name in Self.productionNames where FileManager.default.fileExists(atPath: "\(path)/\(name)") {
            throw StubStartFailure(
                kind: .productionData,
                description:
                    "\(path) is the data directory of a Fingerpost service (it has '\(name)'); name a folder for stubs",
                details: []
            )
        }
    }
}
