/// Collects the errors of a document's parts, so that all of them are reported together.
package struct ErrorList: Sendable {
    package private(set) var errors: [DocumentError] = []

    package init() {}

    package mutating func add(_ error: DocumentError) { errors.append(error) }

    /// Returns the part; nil after adding the error if it cannot be read.
    package mutating func read<Part>(_ part: () throws(DocumentError) -> Part) -> Part? {
        do throws(DocumentError) {
            return try part()
        } catch {
            errors.append(error)
            return nil
        }
    }
}
