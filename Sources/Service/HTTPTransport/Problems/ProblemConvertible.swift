/// An error that says how a response reports it.
package protocol ProblemConvertible: Error {
    var problem: Problem { get }
    /// What the server's log says in addition, for errors that the operator has to know; nil for those of clients.
    var logMessage: String? { get }
}

extension ProblemConvertible {
    package var logMessage: String? { nil }
}

extension Problem: ProblemConvertible {
    package var problem: Problem { self }
}
