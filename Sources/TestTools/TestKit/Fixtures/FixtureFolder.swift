import Foundation
package import LinkRouting

/// The files of a stub server's folder `__files`, in the order of their paths.
package struct FixtureFolder: Sendable {
    package let files: [File]
    /// The errors of the files. Code is generated only if there is none.
    package let problems: [Problem]
    /// Remarks on the files, which do not prevent the generation.
    package let notes: [Problem]

    package static let name = "__files"
    /// Larger folders are refused.
    package static let maximumFiles = 5_000
    /// A larger JSON file is refused: a test cannot compare with all of it, and its type would be as large.
    package static let maximumBytes = 16 << 20

    package struct File: Sendable {
        /// The path below `__files`, with slashes.
        package let path: String
        package let name: SourceName
        /// The type of its JSON; nil for a file that is not JSON.
        package let shape: JSONShape?
    }

    package struct Problem: Error, Hashable, CustomStringConvertible {
        package let path: String
        package let position: JSONNode.Position
        package let message: String

        /// The problem in the format of compilers, which editors can follow.
        package var description: String {
            let location = position.line > 0 ? "\(position.line):\(position.column): " : ""
            return "\(FixtureFolder.name)/\(path):\(location.isEmpty ? " " : location)\(message)"
        }
    }

    /// The folder cannot be read.
    package struct Unreadable: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    /// Reads the folder `__files` in the folder of a stub server.
    package init(of stub: String) throws(Unreadable) {
        let paths = try Self.paths(in: stub)
        var (files, problems, notes) = ([File](), [Problem](), [Problem]())
        for path in paths {
            do throws(Problem) {
                let (shape, note) = try Self.shape(of: path, in: stub)
                files.append(File(path: path, name: Self.name(of: path), shape: shape))
                if let note { notes.append(note) }
            } catch {
                problems.append(error)
            }
        }
        self.files = files
        self.problems = problems + Self.collisions(files)
        self.notes = notes
    }

    private static func paths(in stub: String) throws(Unreadable) -> [String] {
        let folder = stub + "/" + name
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isDirectory), isDirectory.boolValue else {
            throw Unreadable(
                description: "\(stub) has no folder '\(name)'; name the folder that 'fingerpost stub' serves."
            )
        }
        // The enumerator does not follow symbolic links, so that it ends and stays in the folder.
        guard let enumerator = FileManager.default.enumerator(atPath: folder) else {
            throw Unreadable(description: "\(folder) cannot be read; check its permissions.")
        }
        var paths: [String] = []
        while let path = enumerator.nextObject() as? String {
            guard !path.split(separator: "/").contains(where: { $0.hasPrefix(".") }) else { continue }
            guard enumerator.fileAttributes?[.type] as? FileAttributeType != .typeDirectory else { continue }
            paths.append(path)
            guard paths.count <= maximumFiles else {
                throw Unreadable(description: "\(folder) has more than \(maximumFiles) files; name a smaller folder.")
            }
        }
        guard !paths.isEmpty else { throw Unreadable(description: "\(folder) has no files; record or add some.") }
        return paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    /// The name of a JSON file leaves out the extension; others keep theirs, so that `logo.json` and `logo.png` differ.
    private static func name(of path: String) -> SourceName {
        SourceName(isJSON(path) ? String(path.dropLast(5)) : path)
    }

    private static func isJSON(_ path: String) -> Bool { path.lowercased().hasSuffix(".json") }

    private static func shape(
        of path: String,
        in stub: String
    ) throws(Problem) -> (shape: JSONShape?, note: Problem?) {
        func problem(_ message: String, at position: JSONNode.Position = .unknown) -> Problem {
            Problem(path: path, position: position, message: message)
        }
        let file = stub + "/" + name + "/" + path
        guard FileManager.default.isReadableFile(atPath: file) else {
            throw problem("The file cannot be read; check its permissions, or the target of the symbolic link.")
        }
        guard isJSON(path) else { return (nil, nil) }
        let size = (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
        guard size <= maximumBytes, let bytes = FileManager.default.contents(atPath: file) else {
            throw problem("The file has \(size) bytes; at most \(maximumBytes) are allowed in JSON with a type.")
        }
        do throws(JSONSyntaxError) {
            let limits = JSONReader.Limits(maximumBytes: maximumBytes, maximumDepth: 64, maximumValues: 1_000_000)
            return (JSONShape(try JSONReader.parse(bytes, limits: limits)), nil)
        } catch {
            guard bytes.firstRange(of: Data("{{".utf8)) != nil else {
                throw problem(error.message, at: error.position)
            }
            return (
                nil,
                problem(
                    "The file is a response template, not JSON, so it gets a case but no type.",
                    at: error.position
                )
            )
        }
    }

    private static func collisions(_ files: [File]) -> [Problem] {
        var first: [String: String] = [:]
        return files.compactMap { file in
            let name = file.name.lowerCamel
            guard let other = first[name.lowercased()] else {
                first[name.lowercased()] = file.path
                return nil
            }
            return Problem(
                path: file.path,
                position: .unknown,
                message: "The name '\(name)' is already that of \(Self.name)/\(other); rename one of the files."
            )
        }
    }
}
