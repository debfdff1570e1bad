package import LinkRouting

/// Findings as text for people. If more than three routes have the same finding, it is written once, with the names of
/// the next routes and the number of the others.
package struct FindingLines {
    package let lines: [String]

    /// The maximum number of routes whose findings are lines of their own.
    private static let apart = 3
    /// The maximum number of routes that are named after the first one.
    private static let named = 3

    /// - Parameter file: The file that was checked, if the text does not name it before.
    package init(_ findings: [Finding], in file: String? = nil) {
        self.init(entries: findings.map { Entry($0, in: file) })
    }

    /// - Parameter findings: The `findings` of a response.
    package init(_ findings: [JSONNode]) {
        self.init(entries: findings.map { Entry($0) })
    }

    private init(entries: [Entry]) {
        // A route may have the same finding several times, such as once for each variant of an experiment.
        let groups = Dictionary(grouping: entries, by: \.kind).mapValues(Self.oneOfEachRoute)
        var written: Set<Entry.Kind> = []
        var lines: [String] = []
        for entry in entries {
            let group = groups[entry.kind] ?? []
            if group.count <= Self.apart {
                lines.append(entry.line)
            } else if written.insert(entry.kind).inserted {
                lines += [entry.line, Self.others(of: group)]
            }
        }
        self.lines = lines
    }

    private static func oneOfEachRoute(_ entries: [Entry]) -> [Entry] {
        var known: Set<String> = []
        return entries.filter { known.insert($0.name).inserted }
    }

    private static func others(of group: [Entry]) -> String {
        let others = group.dropFirst()
        let names = others.prefix(named).map(\.location).joined(separator: ", ")
        let rest = others.count - named
        let noun = group.allSatisfy(\.isAboutRoute) ? "more route" : "more place"
        return "  also: \(names)" + (rest > 0 ? " … and \(rest.counted(noun))" : "")
    }
}

/// A finding with what is compared and written of it.
private struct Entry {
    /// What equal findings have in common.
    struct Kind: Hashable {
        let code: String
        let severity: String
        let path: String
        let message: String
        let fix: String
    }

    let kind: Kind
    let line: String
    let isAboutRoute: Bool
    /// The route, or the path of a finding that is about none.
    let name: String
    /// The name with its line in the file, if it is known.
    let location: String

    init(_ finding: Finding, in file: String?) {
        self.init(
            Kind(
                code: finding.code.rawValue,
                severity: finding.severity.rawValue,
                path: finding.path,
                message: finding.message,
                fix: finding.fix
            ),
            route: finding.route?.rawValue,
            line: finding.line(in: file),
            number: finding.position?.line
        )
    }

    init(_ finding: JSONNode) {
        self.init(
            Kind(
                code: finding["code"]?.text ?? "",
                severity: finding["severity"]?.text ?? "",
                path: finding["path"]?.text ?? "",
                message: finding["message"]?.text ?? "",
                fix: finding["fix"]?.text ?? ""
            ),
            route: finding["route"]?.text,
            line: FindingText(finding).line,
            number: nil
        )
    }

    /// - Parameter number: The line in the file; nil or 0 if it is not known.
    private init(_ finding: Kind, route: String?, line: String, number: Int?) {
        let quotedRoute = route.map { "'\($0)'" }
        func withoutRoute(_ text: String) -> String { quotedRoute.map { text.replacing($0, with: "") } ?? text }
        kind = Kind(
            code: finding.code,
            severity: finding.severity,
            path: Self.withoutIndices(finding.path),
            message: withoutRoute(finding.message),
            fix: withoutRoute(finding.fix)
        )
        self.line = line
        isAboutRoute = route != nil
        name = route ?? finding.path
        location = (quotedRoute ?? finding.path) + (number.map { $0 > 0 ? " (line \($0))" : "" } ?? "")
    }

    /// `table.routes[3].web` becomes `table.routes[].web`.
    private static func withoutIndices(_ path: String) -> String {
        var (text, isIndex) = ("", false)
        for character in path {
            if character == "]" { isIndex = false }
            if !isIndex { text.append(character) }
            if character == "[" { isIndex = true }
        }
        return text
    }
}
