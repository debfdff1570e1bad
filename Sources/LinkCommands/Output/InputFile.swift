import Foundation

/// Reads a text file, or standard input for `-`.
package func readText(_ path: String) throws -> String {
    do {
        guard path != "-" else {
            return String(decoding: try FileHandle.standardInput.readToEnd() ?? Data(), as: UTF8.self)
        }
        let data = try Data(contentsOf: URL(filePath: path))
        guard let text = String(validating: data, as: UTF8.self) else {
            throw fail("\(path) is not UTF-8; save it as UTF-8.", .unreadableInput)
        }
        return text
    } catch let error as CommandFailure {
        throw error
    } catch {
        throw fail("\(path) cannot be read: \(error.localizedDescription)", .unreadableInput)
    }
}

/// Reads a file, or standard input for `-`. Association files need not be UTF-8 to be judged.
package func readBytes(_ path: String) throws -> [UInt8] {
    do {
        guard path != "-" else { return Array(try FileHandle.standardInput.readToEnd() ?? Data()) }
        return Array(try Data(contentsOf: URL(filePath: path)))
    } catch {
        throw fail("\(path) cannot be read: \(error.localizedDescription)", .unreadableInput)
    }
}
