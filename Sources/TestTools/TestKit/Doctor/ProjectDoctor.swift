package import LinkRouting

/// Checks whether a project's apps get the links of a table, and the answers of a stub server.
package struct ProjectDoctor: Sendable {
    private let folder: ProjectFolder
    private let router: Router

    package init(_ folder: ProjectFolder, router: Router) {
        self.folder = folder
        self.router = router
    }

    /// The findings, the errors of each app first.
    ///
    /// - Parameter apps: The apps to check; each platform is checked once.
    package func diagnoses(of apps: [RegisteredApp]) -> [Diagnosis] {
        guard folder.hasXcodeProject || folder.hasGradleProject else {
            let message = "The folder has neither an Xcode project nor a Gradle project; name the folder of an app."
            return [Diagnosis(.error, message)]
        }
        let results = apps.flatMap { app -> [Diagnosis] in
            switch app.platform {
            case .ios:
                guard folder.hasXcodeProject else { return [missing("Xcode project, Info.plist or entitlements", app)] }
                return AppleProjectCheck(folder: folder, identity: router.identity, app: app).diagnoses
            case .android:
                guard folder.hasGradleProject else { return [missing("Gradle project or AndroidManifest.xml", app)] }
                return AndroidProjectCheck(folder: folder, router: router, app: app).diagnoses
            default: return []
            }
        }
        var known: Set<Diagnosis> = []
        return results.filter { known.insert($0).inserted }
    }

    private func missing(_ what: String, _ app: RegisteredApp) -> Diagnosis {
        Diagnosis(.warning, "The folder has no \(what), so the app '\(app.id)' was not checked.")
    }
}
