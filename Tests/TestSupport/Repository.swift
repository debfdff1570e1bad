package import Foundation

/// The folder of the repository, for tests that read its documents and examples.
package enum Repository {
    package static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
        .standardized

    /// The file or folder at a path below the repository's folder, such as `docs/api.md`.
    package static func file(_ path: String) -> URL { folder.appending(path: path) }
}
