import Foundation
import LinkRouting

/// Reads a text file, or standard input for `-`.
package func readText(_ path: String) throws -> String {
    do {
        let bytes = try contents(path)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw fail("\(path == "-" ? "standard input" : path) is not UTF-8; save it as UTF-8.", .unreadableInput)
        }
        if let answer = failedDownload(text) {
            throw fail("\(path) is \(answer), not the file that it should be; download it again.", .unreadableInput)
        }
        return text
    } catch let error as CommandFailure {
        throw error
    } catch {
        throw fail("\(path) cannot be read: \(unreadableReason(path, error)).", .unreadableInput)
    }
}

/// What a failed download left in place of a file: a web page or an error; nil for any other text.
func failedDownload(_ text: String) -> String? {
    let start = text.prefix(1_000).drop(while: \.isWhitespace).lowercased()
    if ["<!doctype html", "<html"].contains(where: { start.hasPrefix($0) }) { return "a web page" }
    let limits = JSONReader.Limits(maximumBytes: 64 << 10)
    guard start.hasPrefix("{"), let node = try? JSONReader.parse(text, limits: limits), node["status"] != nil,
        let detail = ["detail", "message", "title"].compactMap({ node[$0]?.text }).first
    else { return nil }
    return "an error of a server (\(detail))"
}

/// Reads a file, or standard input for `-`. Association files need not be UTF-8 to be judged.
package func readBytes(_ path: String) throws -> [UInt8] {
    do {
        return try contents(path)
    } catch let error as CommandFailure {
        throw error
    } catch {
        throw fail("\(path) cannot be read: \(unreadableReason(path, error)).", .unreadableInput)
    }
}

private func contents(_ path: String) throws -> [UInt8] {
    guard path != "-" else { return try contents(of: .standardInput, "standard input") }
    // Foundation reads only regular files. A shell passes a pipe for `<(…)`.
    var status = stat()
    guard stat(path, &status) == 0, [S_IFIFO, S_IFCHR].contains(status.st_mode & S_IFMT) else {
        return Array(try Data(contentsOf: URL(filePath: path)))
    }
    return try contents(of: FileHandle(forReadingFrom: URL(filePath: path)), path)
}

/// The maximum number of bytes that are read from standard input or a pipe, which may never end.
private let maximumInput = 256 << 20

private func contents(of file: FileHandle, _ name: String) throws -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
        let piece: Data?
        do {
            piece = try file.read(upToCount: 1 << 20)
        } catch {
            throw fail(
                "\(name) is closed or cannot be read; pipe the text in, or name a file.",
                .unreadableInput
            )
        }
        guard let piece, !piece.isEmpty else { break }
        bytes += piece
        guard bytes.count <= maximumInput else {
            throw fail("\(name) has more than \(maximumInput) bytes; name a smaller file.", .unreadableInput)
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
    case .fileReadCorruptFile?: return "it is not UTF-8; save it as UTF-8"
    default: return error.localizedDescription
    }
}
