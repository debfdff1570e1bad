import LinkRouting

/// Typed access to the files of a stub server, as one source file.
package struct FixtureCode: Sendable {
    package let text: String
    /// Keys that were renamed.
    package let notes: [FixtureFolder.Problem]

    /// - Parameter package: The package of Kotlin code; Swift has none.
    package init(_ folder: FixtureFolder, in language: SourceLanguage, package: String = "") {
        var naming = FixtureTypeNaming(language)
        var scope = NameScope()
        var notes: [FixtureFolder.Problem] = []
        let fixtures = folder.files.map { file in
            let known = naming.notes.count
            let typed = file.shape.map { naming.type(of: $0, named: file.name, in: &scope, enclosing: []) }
            notes += naming.notes.dropFirst(known).map {
                FixtureFolder.Problem(path: file.path, position: $0.position, message: $0.message)
            }
            return TypedFixture(file: file, type: typed?.type, records: typed?.records ?? [])
        }
        self.notes = notes
        text =
            switch language {
            case .swift: SwiftFixtures(fixtures).text
            case .kotlin: KotlinFixtures(fixtures, package: package).text
            }
    }
}

/// A file with its type.
struct TypedFixture {
    let file: FixtureFolder.File
    /// Nil for a file that is not JSON.
    let type: FixtureType?
    let records: [FixtureType.Record]

    /// The path for a comment. It stays on its line.
    var comment: String { file.path.escapedForComment }
}
