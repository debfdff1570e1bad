import Foundation
import Testing
import fingerpost

/// A file that cannot be read is reported with the reason and what to do.
struct InputFileTests {
    @Test(arguments: [
        ("/nowhere/shop.yaml", "/nowhere/shop.yaml cannot be read: there is no such file; check the path."),
        ("/", "/ cannot be read: it is a directory; name a file in it."),
    ])
    func unreadableFileIsExplained(_ path: String, _ message: String) throws {
        let text = #expect(throws: CommandFailure.self) { try readText(path) }
        #expect(text?.lines == ["fingerpost: \(message)"])
        #expect(text?.status == .unreadableInput)
        let bytes = #expect(throws: CommandFailure.self) { try readBytes(path) }
        #expect(bytes?.lines == text?.lines)
    }

    @Test func missingPermissionIsExplained() {
        let reason = unreadableReason("/nowhere/key", CocoaError(.fileReadNoPermission))
        #expect(reason == "this user may not read it; change its mode, or run the command as its owner")
    }
}
