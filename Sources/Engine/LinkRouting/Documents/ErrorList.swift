/// Collects the errors of a document's parts, so that they are reported together.
///
/// It keeps the first 100. Wrong input of one megabyte must not become an answer of forty.
package struct ErrorList: Sendable {
    package static let maximumCount = 100

    package private(set) var errors: [DocumentError] = []

    package init() {}

    package var isFull: Bool { errors.count >= Self.maximumCount }

    package mutating func add(_ error: DocumentError) {
        guard !isFull else { return }
        errors.append(error)
    }

    /// Returns the part; nil after adding the error if it cannot be read.
    package mutating func read<Part>(_ part: () throws(DocumentError) -> Part) -> Part? {
        do throws(DocumentError) {
            return try part()
        } catch {
            add(error)
            return nil
        }
    }
}
