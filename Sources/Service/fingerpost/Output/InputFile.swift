import Foundation

/// Reads a text file, or standard input for `-`.
package func readText(_ path: String) throws -> String {
    do {
        let bytes = path == "-" ? Data(try standardInput()) : try Data(contentsOf: URL(filePath: path))
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw fail("\(path == "-" ? "standard input" : path) is not UTF-8; save it as UTF-8.", .unreadableInput)
        }
        return text
    } catch let error as CommandFailure {
        throw error
    } catch {
        throw fail("\(path) cannot be read: \(unreadableReason(path, error)).", .unreadableInput)
    }
}

/// Reads a file, or standard input for `-`. Association files need not be UTF-8 to be judged.
package func readBytes(_ path: String) throws -> [UInt8] {
    do {
        guard path != "-" else { return try standardInput() }
        return Array(try Data(contentsOf: URL(filePath: path)))
    } catch let error as CommandFailure {
        throw error
    } catch {
        throw fail("\(path) cannot be read: \(unreadableReason(path, error)).", .unreadableInput)
    }
}

/// The maximum number of bytes that are read from standard input, which may never end.
private let maximumInput = 256 << 20

private func standardInput() throws -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
        let piece: Data?
        do {
            piece = try FileHandle.standardInput.read(upToCount: 1 << 20)
        } catch {
            throw fail(
                "standard input is closed or cannot be read; pipe the text in, or name a file.",
                .unreadableInput
            )
        }
        guard let piece, !piece.isEmpty else { break }
        bytes += piece
        guard bytes.count <= maximumInput else {
            throw fail("standard input has more than \(maximumInput) bytes; name a smaller file.", .unreadableInput)
        }
    }
    return bytes
}

/// Returns the reason why a file cannot be read, and advice.
package func unreadableReason(_ path: String, _ error: any Error) -> String {
    var isDirectory: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory), isDirectory.boolValue {
        return "it is a directory; name a file in it"
    }
    switch (error as? CocoaError)?.code {
    case .fileReadNoSuchFile?, .fileNoSuchFile?: return "there is no such file; check the path"
    case .fileReadNoPermission?: return "this user may not read it; change its mode, or run the command as its owner"
    default: return error.localizedDescription
    }
}
