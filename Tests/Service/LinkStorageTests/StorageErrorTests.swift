import LinkStorage
import Testing

struct StorageErrorTests {
    @Test(
        arguments: [
            (.locked(directory: "d", holder: "1"), 75), (.newerSchema(file: "f", found: 2, known: 1), 65),
            (.foreignFile(file: "f"), 65), (.otherBuild(file: "f"), 65), (.corrupt(file: "f", detail: "x"), 65),
            (.notReadable(path: "d", owner: "root"), 74), (.backup(directory: "d"), 74),
            (.notABackup(directory: "d"), 65), (.damagedBackup(directory: "d", detail: "x"), 65),
            (.serviceFolder(path: "d/service", directory: "d"), 65),
            (.unusable(file: "f", detail: "x"), 74), (.readOnlyDisk(file: "f"), 74),
            (.full(file: "f"), 74),
            (.io(file: "f", detail: "x"), 74),
            (.wrongSetting(file: "f", setting: "synchronous", found: "1"), 70),
        ] as [(StorageError, Int32)]
    )
    func everyErrorHasItsExitCode(_ error: StorageError, _ code: Int32) {
        #expect(error.exitCode == code)
    }

    @Test(
        arguments: [
            (
                "fingerpost",
                "You may not read d, which belongs to fingerpost: run the command as its owner or as root, such as"
            ),
            (nil, "You may not read d: run the command as its owner or as root, such as with sudo."),
        ] as [(String?, String)]
    )
    func directoryOfAnotherUserNamesItsOwner(_ owner: String?, _ text: String) {
        #expect(StorageError.notReadable(path: "d", owner: owner).description.hasPrefix(text))
    }
}
