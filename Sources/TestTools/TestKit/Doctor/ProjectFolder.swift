import Foundation

/// The files of an app's project that decide whether links and a stub server reach the app.
package struct ProjectFolder: Sendable {
    let infoPlists: [String]
    let entitlements: [String]
    let manifests: [String]
    /// XML resources of Android, such as a network security configuration.
    let xmlResources: [String]
    /// Scripts and build files. They are searched for commands.
    let scripts: [String]
    let hasXcodeProject: Bool
    let hasGradleProject: Bool
    private let root: String

    private static let maximumEntries = 200_000
    private static let maximumDepth = 24
    /// A longer file is not a script or a property list.
    static let maximumBytes = 4 << 20
    private static let skipped: Set<String> = [
        "build", "DerivedData", "Pods", "Carthage", "node_modules", "xcuserdata", "SourcePackages",
    ]
    private static let scriptNames: Set<String> = [
        "Makefile", "Justfile", "justfile", "Fastfile", "Rakefile", "Jenkinsfile", "Earthfile", "Dangerfile",
    ]
    private static let scriptSuffixes = [
        ".sh", ".bash", ".zsh", ".yml", ".yaml", ".py", ".rb", ".js", ".ts", ".xcscheme", ".gradle", ".gradle.kts",
        ".toml",
        ".md",
    ]

    package struct Unreadable: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    package init(_ root: String) throws(Unreadable) {
        self.root = root
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: root, isDirectory: &isDirectory), isDirectory.boolValue,
            let enumerator = FileManager.default.enumerator(atPath: root)
        else {
            throw Unreadable(description: "\(root) is not a folder that can be read; name the folder of a project.")
        }
        var paths: [String] = []
        var hasXcodeProject = false
        var count = 0
        while let path = enumerator.nextObject() as? String {
            count += 1
            guard count <= Self.maximumEntries else {
                throw Unreadable(
                    description: "\(root) has more than \(Self.maximumEntries) files; name the folder of one app."
                )
            }
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let isFolder = enumerator.fileAttributes?[.type] as? FileAttributeType == .typeDirectory
            guard isFolder else {
                paths.append(path)
                continue
            }
            if name.hasSuffix(".xcodeproj") || name.hasSuffix(".xcworkspace") { hasXcodeProject = true }
            let isHidden = name.hasPrefix(".") && ![".github", ".circleci"].contains(name)
            if isHidden || Self.skipped.contains(name) || enumerator.level >= Self.maximumDepth {
                enumerator.skipDescendants()
            }
        }
        paths.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        func named(_ isWanted: (String) -> Bool) -> [String] {
            paths.filter { path in isWanted(path.split(separator: "/").last.map(String.init) ?? path) }
        }
        infoPlists = named { $0.hasSuffix("Info.plist") }
        entitlements = named { $0.hasSuffix(".entitlements") }
        manifests = named { $0 == "AndroidManifest.xml" }
        xmlResources = paths.filter { $0.hasSuffix(".xml") && $0.contains("/res/xml") || $0.hasPrefix("res/xml") }
        scripts = named { name in
            Self.scriptNames.contains(name) || Self.scriptSuffixes.contains { name.hasSuffix($0) }
        }
        self.hasXcodeProject = hasXcodeProject || !infoPlists.isEmpty || !entitlements.isEmpty
        hasGradleProject = !manifests.isEmpty || !named { $0.hasPrefix("build.gradle") }.isEmpty
    }

    /// Returns the bytes of a file; nil if it cannot be read or is too long.
    func bytes(_ path: String) -> [UInt8]? {
        let file = root + "/" + path
        let size = (try? FileManager.default.attributesOfItem(atPath: file)[.size] as? Int) ?? 0
        guard size <= Self.maximumBytes else { return nil }
        return FileManager.default.contents(atPath: file).map(Array.init)
    }

    /// Whether a script or build file of the project contains a text.
    func anyScript(contains text: String) -> Bool {
        scripts.contains { bytes($0)?.firstRange(of: Array(text.utf8)) != nil }
    }
}
