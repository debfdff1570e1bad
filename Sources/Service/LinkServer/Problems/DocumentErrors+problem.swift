package import HTTPTransport
package import LinkCatalog
package import LinkRouting

// Documents that cannot be read: those of a request, and stored ones.

extension DocumentError: ProblemConvertible {
    package var problem: Problem { Problem(.invalidRequest, description) }
}

extension JSONSyntaxError: ProblemConvertible {
    package var problem: Problem { Problem(.malformedJSON, "The body is not JSON: \(description)") }
}

extension RouteTable.DecodingErrors: ProblemConvertible {
    package var problem: Problem {
        Problem(.invalidTable, "The table cannot be read.", findings: errors.map(Finding.init))
    }
}

extension Settings.DecodingErrors: ProblemConvertible {
    package var problem: Problem { Problem(.invalidSettings, description, findings: errors.map(Finding.init)) }
}

extension DocumentTooLarge: ProblemConvertible {
    package var problem: Problem { Problem(.documentTooLarge, description) }
}

extension UnreadableDocument: ProblemConvertible {
    package var problem: Problem { Problem(.unreadable, description) }
    package var logMessage: String? { "a stored document cannot be read" }
}
