import CBuildInfo

/// The version of the program.
enum BuildInfo {
    /// A semantic version. Its build metadata is the commit, if the build was told it: `0.1.0+22ccfb4a`.
    static let version = {
        let commit = String(cString: build_commit())
        return commit.isEmpty ? "0.1.0" : "0.1.0+\(commit)"
    }()
    /// The program and its version, as manifests of exports name it.
    static let software = "fingerpost \(version)"
}
