import Foundation
import LinkEvents
import Testing

struct FolderTests {
    /// The parent folder exists and the folder still cannot be created. Retrying with the parent must not loop forever.
    @Test(arguments: ["/proc/x", "/proc/x/y/z"]) func folderThatCannotBeMadeIsRefused(_ path: String) {
        let error = #expect(throws: FileFailure.self) { try Folder.make(path, mode: 0o700) }
        #expect(error?.description.hasPrefix("create directory /proc/x: ") == true, "\(String(describing: error))")
    }

    @Test func pathOfManyFoldersIsMade() throws {
        let root = FileManager.default.temporaryDirectory.appending(path: "fingerpost-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: root) }
        let path = root + String(repeating: "/d", count: 1_000)
        try Folder.make(path, mode: 0o700)
        try Folder.make(path, mode: 0o700)
        var isFolder: ObjCBool = false
        #expect(FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue)
    }

    @Test func fileInTheWayIsRefused() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "fingerpost-\(UUID().uuidString)").path
        try Data().write(to: URL(filePath: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        for path in [file, file + "/a/b"] {
            let error = #expect(throws: FileFailure.self) { try Folder.make(path, mode: 0o700) }
            #expect(error?.description.contains("Not a directory") == true)
        }
    }
}
