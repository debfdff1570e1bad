import LinkRouting

/// A generated route and matching exactly as docs/routing.md describes it: no index, no parser, and no code shared with
/// the tested engine. Intentionally slow.
struct NaiveRoute {
    enum Part: Equatable {
        case text(String)
        case parameter(Kind)
    }

    enum Kind: Equatable {
        case plain, int, smallInt, alnum, short
        case set([String])
    }

    enum Segment: Equatable {
        case literal(String)
        case mixed([Part])
        case parameter(Kind)
        case any
        case rest
    }

    enum Host: Equatable {
        case exact(String)
        case label(suffix: String)
    }

    enum QueryTest: Equatable {
        case present, absent
        case equals(String)
        case int
    }

    var host: Host?
    var segments: [Segment]
    var ignoresCase: Bool
    var isStrict: Bool
    var hasTrailingSlash: Bool
    /// Condition on the query item `q`.
    var query: QueryTest?
    var platform: Platform?

    /// The parts of a link that a route examines.
    struct Subject {
        var host: String
        var segments: [String]
        var hasTrailingSlash: Bool
        /// The values of the query items named `q`.
        var values: [String]
    }

    // MARK: Matching

    /// The captured texts by name, or nil if the route does not match.
    func captures(_ subject: Subject, _ caller: Platform?) -> [String: String]? {
        var captured: [String: String] = [:]
        switch host {
        case nil: break
        case .exact(let host): guard subject.host == host else { return nil }
        case .label(let suffix):
            guard subject.host.hasSuffix(suffix) else { return nil }
            let label = subject.host.dropLast(suffix.count)
            guard !label.isEmpty, !label.contains(".") else { return nil }
            captured["h"] = String(label)
        }
        guard pathHolds(subject, &captured), queryHolds(subject, &captured) else { return nil }
        if let platform, platform != caller { return nil }
        return captured
    }

    private func pathHolds(_ subject: Subject, _ captured: inout [String: String]) -> Bool {
        let path = Self.withoutEmptyEnd(subject.segments)
        var rest = path
        for (index, segment) in segments.enumerated() {
            if segment == .rest {
                captured["p\(index)"] = rest.joined(separator: "/")
                return true
            }
            // A run of slashes counts as one.
            rest = rest.drop(while: \.isEmpty)
            guard let text = rest.popFirst() else { return false }
            switch segment {
            case .literal(let literal): guard folded(text) == folded(literal) else { return false }
            case .parameter(let kind):
                guard accepts(kind, text) else { return false }
                captured["p\(index)"] = text
            case .mixed(let parts):
                guard let texts = match(parts[...], text[...]) else { return false }
                for (number, text) in texts.enumerated() { captured["p\(index)x\(number)"] = text }
            case .any, .rest: break
            }
        }
        guard rest.isEmpty else { return false }
        let isRoot = segments.isEmpty && path.isEmpty
        return !isStrict || isRoot
            || hasTrailingSlash == (subject.hasTrailingSlash || path.count < subject.segments.count)
    }

    private static func withoutEmptyEnd(_ segments: [String]) -> ArraySlice<String> {
        segments[..<(segments.lastIndex { !$0.isEmpty }.map { $0 + 1 } ?? 0)]
    }

    /// Tries every way to split the text, with the shortest first parameter first.
    private func match(_ parts: ArraySlice<Part>, _ text: Substring) -> [String]? {
        guard let part = parts.first else { return text.isEmpty ? [] : nil }
        switch part {
        case .text(let literal):
            guard folded(text).hasPrefix(folded(literal)) else { return nil }
            return match(parts.dropFirst(), text.dropFirst(literal.count))
        case .parameter(let kind):
            for length in stride(from: 1, through: text.count, by: 1) {
                guard accepts(kind, String(text.prefix(length))) else { continue }
                if let others = match(parts.dropFirst(), text.dropFirst(length)) {
                    return [String(text.prefix(length))] + others
                }
            }
            return nil
        }
    }

    private func queryHolds(_ subject: Subject, _ captured: inout [String: String]) -> Bool {
        switch query {
        case nil: return true
        case .present: return !subject.values.isEmpty
        case .absent: return subject.values.isEmpty
        case .equals(let value): return !subject.values.isEmpty && subject.values.allSatisfy { $0 == value }
        case .int:
            guard let first = subject.values.first, subject.values.allSatisfy({ accepts(.int, $0) }) else {
                return false
            }
            captured["q"] = first
            return true
        }
    }

    private func accepts(_ kind: Kind, _ text: String) -> Bool {
        switch kind {
        case .plain: !text.isEmpty
        case .short: (2...3).contains(text.utf8.count)
        case .int: Int64(text).map { String($0) == text } ?? false
        case .smallInt: Int64(text).map { String($0) == text && (1...50).contains($0) } ?? false
        case .alnum: !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        case .set(let values): values.contains { folded($0) == folded(text) }
        }
    }

    private func folded(_ text: some StringProtocol) -> String { ignoresCase ? text.lowercased() : String(text) }

    // MARK: Documented order

    /// Host, then for each segment: literal, mixed by literal bytes, set, bounded, typed, plain, `*`, end, rest.
    var key: [Int] {
        var key: [Int]
        switch host {
        case .exact: key = [0]
        case .label: key = [1]
        case nil: key = [2]
        }
        for segment in segments {
            switch segment {
            case .literal: key.append(0)
            case .mixed(let parts):
                let literals = parts.map { part in
                    if case .text(let text) = part { text.utf8.count } else { 0 }
                }
                key.append(1_000 - literals.reduce(0, +))
            case .parameter(.set): key.append(2_000)
            case .parameter(.smallInt), .parameter(.short): key.append(3_000)
            case .parameter(.int), .parameter(.alnum): key.append(4_000)
            case .parameter(.plain): key.append(5_000)
            case .any: key.append(6_000)
            case .rest: key.append(8_000)
            }
        }
        if segments.last != .rest { key.append(7_000) }
        return key
    }

    // MARK: JSON

    func json(id: String) -> String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("id", id)
        writer.member("path", path)
        writer.member("caseSensitive", !ignoresCase)
        writer.member("trailingSlash", isStrict ? "strict" : "ignore")
        switch host {
        case nil: break
        case .exact(let host): writer.member("host", host)
        case .label(let suffix): writer.member("host", "{h}" + suffix)
        }
        if let query {
            writer.key("query")
            switch query {
            case .present: writer.node(.object(["q": .string("present")]))
            case .absent: writer.node(.object(["q": .string("absent")]))
            case .equals(let value): writer.node(.object(["q": .object(["equals": .string(value)])]))
            case .int: writer.node(.object(["q": .string("int")]))
            }
        }
        if let platform {
            writer.key("when")
            writer.node(.object(["platform": .string(platform.rawValue)]))
        }
        writer.key("open")
        writer.node(.object(["screen": .string("S")]))
        writer.endObject()
        return writer.text
    }

    private var path: String {
        let texts = segments.enumerated().map { index, segment in
            switch segment {
            case .literal(let literal): literal
            case .mixed(let parts):
                parts.reduce(into: (text: "", count: 0)) { result, part in
                    switch part {
                    case .text(let text): result.text += text
                    case .parameter(let kind):
                        result.text += written(kind, "p\(index)x\(result.count)")
                        result.count += 1
                    }
                }.text
            case .parameter(let kind): written(kind, "p\(index)")
            case .any: "*"
            case .rest: "{p\(index)...}"
            }
        }
        return "/" + texts.joined(separator: "/") + (hasTrailingSlash && !segments.isEmpty ? "/" : "")
    }

    private func written(_ kind: Kind, _ name: String) -> String {
        switch kind {
        case .plain: "{\(name)}"
        case .int: "{\(name):int}"
        case .smallInt: "{\(name):int(1..50)}"
        case .alnum: "{\(name):alnum}"
        case .short: "{\(name):string(2..3)}"
        case .set(let values): "{\(name)(\(values.joined(separator: ",")))}"
        }
    }
}
