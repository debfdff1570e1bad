import AppAssociation
import LinkRouting

/// Checks a Gradle project: the intent filters, the network security configuration and the way to the stub server.
struct AndroidProjectCheck {
    let folder: ProjectFolder
    let router: Router
    let app: RegisteredApp
    private let manifests: [Manifest]
    private let problems: [Diagnosis]

    /// A manifest of a source set of the app. The build merges them.
    private struct Manifest {
        let path: String
        let root: XMLElement
        let filters: AndroidManifest
    }

    /// The addresses of the computer's server for an app: through `adb reverse`, or from an emulator.
    private static let localHosts: Set<String> = ["127.0.0.1", "localhost", "10.0.2.2"]

    init(folder: ProjectFolder, router: Router, app: RegisteredApp) {
        self.folder = folder
        self.router = router
        self.app = app
        var (manifests, problems) = ([Manifest](), [Diagnosis]())
        for path in folder.manifests where !path.contains("/androidTest/") && !path.contains("/test/") {
            guard let bytes = folder.bytes(path) else {
                problems.append(Diagnosis(.warning, in: path, "The file cannot be read, or has more than 4 MiB."))
                continue
            }
            do throws(AndroidManifest.SyntaxError) {
                manifests.append(
                    Manifest(
                        path: path,
                        root: try XMLElementReader.parse(bytes),
                        filters: try AndroidManifest(parsing: bytes)
                    )
                )
            } catch {
                problems.append(Diagnosis(.error, in: path, line: error.line, error.problem))
            }
        }
        // The main manifest is the one to change.
        self.manifests =
            manifests.filter { $0.path.contains("src/main/") } + manifests.filter { !$0.path.contains("src/main/") }
        self.problems = problems
    }

    var diagnoses: [Diagnosis] {
        guard let main = manifests.first else {
            let missing = Diagnosis(
                .error,
                "There is no AndroidManifest.xml; name the folder that contains the app's module."
            )
            return problems + (problems.isEmpty ? [missing] : [])
        }
        return problems + filterDiagnoses(main) + exportDiagnoses + networkDiagnoses(main) + reverseDiagnoses
    }

    // MARK: Intent filters

    /// Compares samples of the generated filters with those of the project.
    private func filterDiagnoses(_ main: Manifest) -> [Diagnosis] {
        let text = AndroidManifestGenerator(router: router, app: app).filters()
        let wrapped = "<manifest><activity>\n\(text)</activity></manifest>"
        guard let expected = try? AndroidManifest(parsing: Array(wrapped.utf8)) else { return [] }
        let blocks = text.split(separator: "\n\n").map { $0.split(separator: "\n").map(String.init) }
        var results: [Diagnosis] = []
        for (number, filter) in expected.filters.enumerated() {
            // App Links are https links; the generated filters name http too, which browsers upgrade.
            let samples = filter.sampleLinks.filter { !$0.hasPrefix("http://") }
            let fix = number < blocks.count ? blocks[number] : []
            let verdicts = samples.map { ($0, outcome(of: $0)) }
            if let sample = verdicts.first(where: { $0.1 == .noMatch })?.0 {
                let message = "No intent filter accepts \(sample). Add to the activity that opens links:"
                results.append(Diagnosis(.error, in: main.path, message, fix: fix))
            } else if filter.isAutoVerified, let sample = verdicts.first(where: { $0.1 == .unverified })?.0 {
                let message =
                    "A filter accepts \(sample), but none with android:autoVerify and only web schemes names its host:"
                results.append(Diagnosis(.error, in: main.path, message, fix: fix))
            }
        }
        let notes = manifests.flatMap { manifest in manifest.filters.decision(for: "https://host.invalid/").notes }
        let placeholders = Set(notes.filter { $0.contains("build replaces") }).sorted()
        return results + placeholders.map { Diagnosis(.info, in: main.path, $0) }
    }

    /// The best result of the manifests.
    private func outcome(of link: String) -> ManifestDecision.Outcome {
        let outcomes = manifests.map { $0.filters.decision(for: link).outcome }
        return outcomes.contains(.match) ? .match : outcomes.contains(.unverified) ? .unverified : .noMatch
    }

    private var exportDiagnoses: [Diagnosis] {
        manifests.flatMap { manifest in
            (manifest.root.descendants(named: "activity") + manifest.root.descendants(named: "activity-alias"))
                .filter { !$0.descendants(named: "intent-filter").isEmpty && $0.attributes["exported"] == nil }
                .map { activity in
                    Diagnosis(
                        .error,
                        in: manifest.path,
                        line: activity.line,
                        "An activity with intent filters needs android:exported, or Android 12 refuses to install the app:",
                        fix: ["android:exported=\"true\""]
                    )
                }
        }
    }

    // MARK: Network

    private func networkDiagnoses(_ main: Manifest) -> [Diagnosis] {
        let applications = manifests.flatMap { manifest in
            manifest.root.children.filter { $0.name == "application" }
                .map { (path: manifest.path, attributes: $0.attributes) }
        }
        var results: [Diagnosis] = []
        let permissions = manifests.flatMap { $0.root.descendants(named: "uses-permission") }.compactMap {
            $0.attributes["name"]
        }
        if !permissions.contains("android.permission.INTERNET") {
            results.append(
                Diagnosis(
                    .error,
                    in: main.path,
                    "The app has no permission for the network:",
                    fix: ["<uses-permission android:name=\"android.permission.INTERNET\" />"]
                )
            )
        }
        if applications.contains(where: { $0.attributes["usesCleartextTraffic"] == "true" }) {
            return results + cleartextEverywhere(applications)
        }
        let names = applications.compactMap { $0.attributes["networkSecurityConfig"] }
        guard !names.isEmpty else {
            return results + [
                Diagnosis(
                    .error,
                    in: main.path,
                    "Android blocks HTTP to the stub server. Add two files to the debug source set:",
                    fix: Self.debugManifest + [""] + Self.configuration
                )
            ]
        }
        let files = names.flatMap { name in
            let file = "/" + (name.split(separator: "/").last.map(String.init) ?? name) + ".xml"
            return folder.xmlResources.filter { $0.hasSuffix(file) }
        }
        guard !files.isEmpty else {
            let message = "The network security configuration \(names[0]) does not exist. Add src/debug/res/xml/…:"
            return results + [Diagnosis(.error, in: main.path, message, fix: Self.configuration)]
        }
        return results + configurationDiagnoses(files)
    }

    private func cleartextEverywhere(_ applications: [(path: String, attributes: [String: String])]) -> [Diagnosis] {
        applications.filter { $0.path.contains("src/main/") && $0.attributes["usesCleartextTraffic"] == "true" }.map {
            Diagnosis(
                .warning,
                in: $0.path,
                "usesCleartextTraffic permits HTTP to every host, in releases too. Prefer a configuration for debug builds:",
                fix: Self.debugManifest + [""] + Self.configuration
            )
        }
    }

    private func configurationDiagnoses(_ files: [String]) -> [Diagnosis] {
        var problems: [Diagnosis] = []
        for path in files {
            guard let bytes = folder.bytes(path) else { continue }
            do throws(AndroidManifest.SyntaxError) {
                let root = try XMLElementReader.parse(bytes)
                let configurations = root.children.filter { ["base-config", "domain-config"].contains($0.name) }
                let permitting = configurations.filter { $0.attributes["cleartextTrafficPermitted"] == "true" }
                let permits = permitting.contains { configuration in
                    configuration.name == "base-config"
                        || configuration.children.contains { domain in
                            domain.name == "domain" && Self.localHosts.contains(domain.text.filter { !$0.isWhitespace })
                        }
                }
                if permits { return [] }
            } catch {
                problems.append(Diagnosis(.error, in: path, line: error.line, error.problem))
            }
        }
        guard problems.isEmpty else { return problems }
        let message =
            "The network security configuration does not permit HTTP to 127.0.0.1. Add to it, in debug builds:"
        return [Diagnosis(.error, in: files[0], message, fix: Self.domainConfiguration)]
    }

    private static let debugManifest = [
        "<!-- src/debug/AndroidManifest.xml -->",
        "<manifest xmlns:android=\"http://schemas.android.com/apk/res/android\">",
        "    <application android:networkSecurityConfig=\"@xml/network_security_config\" />", "</manifest>",
    ]

    private static let configuration =
        ["<!-- src/debug/res/xml/network_security_config.xml -->", "<network-security-config>"]
        + domainConfiguration.map { "    " + $0 } + ["</network-security-config>"]

    private static let domainConfiguration = [
        "<domain-config cleartextTrafficPermitted=\"true\">", "    <domain>127.0.0.1</domain>",
        "    <domain>10.0.2.2</domain>",
        "</domain-config>",
    ]

    /// A device, and with `adb reverse` an emulator, reaches the computer at 127.0.0.1.
    private var reverseDiagnoses: [Diagnosis] {
        if folder.anyScript(contains: "adb reverse") || folder.anyScript(contains: "10.0.2.2") { return [] }
        return [
            Diagnosis(
                .warning,
                "No script leads the device to the stub server. Run after each start of a device, with the port of the server:",
                fix: ["adb reverse tcp:PORT tcp:PORT"]
            )
        ]
    }
}
