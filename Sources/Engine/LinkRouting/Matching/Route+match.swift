/// The input of matching a route: the link, the context, and the table's interpretation of `+` in queries.
struct MatchInput {
    let link: DeepLink
    let context: LinkContext
    let plusSign: DeepLink.PlusSign
}

extension Route {
    /// Whether all conditions except the path's segments hold. The index has compared those.
    func holds(for input: MatchInput, _ parts: inout LinkParts) -> Bool {
        linkHolds(for: input.link, input.plusSign, &parts)
            && (when?.evaluate(in: input.context, &parts) ?? .holds) == .holds
    }

    /// Whether all conditions on the link hold, regardless of the context. Like `holds`, it leaves out the path's
    /// segments, and the host up to the type of its label.
    func linkHolds(for link: DeepLink, _ plusSign: DeepLink.PlusSign, _ parts: inout LinkParts) -> Bool {
        [self].linkHolds(at: 0, for: link, plusSign, &parts)
    }

    /// Whether host and path alone decide about the route, so that nothing is left to check after the index.
    var isDecidedByPath: Bool {
        if case .label(_?, _) = host { return false }
        return trailingSlash == .ignored && query.isEmpty && fragment == nil && when == nil
    }

    /// Whether the route's host condition holds; true without one.
    package func hostHolds(for link: DeepLink) -> Bool {
        switch host {
        case nil: return true
        case .exact(let host): return link.host.map(host.isWritten) ?? false
        case .label(let parameter, let suffix):
            guard let label = link.hostLabel(before: suffix) else { return false }
            return parameter.map { $0.type.accepts(Array(label.utf8)[...], .sensitive) } ?? true
        }
    }

    /// A condition of a route that a link may fail.
    package enum LinkCondition {
        case host, path, trailingSlash, query, fragment
    }

    /// Returns the first condition on the link that fails, regardless of the context and of other routes; nil if all
    /// hold.
    package func failedCondition(of link: DeepLink, _ plusSign: DeepLink.PlusSign) -> LinkCondition? {
        guard hostHolds(for: link) else { return .host }
        guard path.captures(in: link, letterCase) != nil else { return .path }
        guard trailingSlashHolds(for: link) else { return .trailingSlash }
        var parts = LinkParts()
        for condition in query where !condition.holds(for: link, plusSign, &parts) { return .query }
        return fragmentHolds(for: link, &parts) ? nil : .fragment
    }

    func trailingSlashHolds(for link: DeepLink) -> Bool {
        guard trailingSlash == .strict, !link.segments.isEmpty else { return true }
        return path.hasRest || link.hasTrailingSlash == path.hasTrailingSlash
    }

    func fragmentFailure(in link: DeepLink, _ parts: inout LinkParts) -> (expected: String, found: String?)? {
        guard !fragmentHolds(for: link, &parts) else { return nil }
        return switch fragment {
        case nil: nil
        case .equals(let expected): (expected, link.fragment)
        case .pattern(let pattern): (pattern.description, link.fragment)
        }
    }

    func fragmentHolds(for link: DeepLink, _ parts: inout LinkParts) -> Bool {
        fragment?.holds(for: link, letterCase, &parts) ?? true
    }

    /// Returns the parameters that the route captures from a matching link, in the order host, path, query, fragment.
    ///
    /// - Parameter captures: The captures of the route's path.
    func parameters(
        in link: DeepLink,
        _ plusSign: DeepLink.PlusSign,
        _ captures: [RoutePattern.Capture],
        _ parts: inout LinkParts
    ) -> [CapturedParameter] {
        var parameters: [CapturedParameter] = []
        if case .label(let parameter?, let suffix) = host, let label = link.hostLabel(before: suffix) {
            parameters.append(
                CapturedParameter(
                    name: parameter.name,
                    value: parameter.type.value(of: label),
                    text: label,
                    location: .host
                )
            )
        }
        for capture in captures { capture.append(to: &parameters, from: link, letterCase) }
        for condition in query {
            if let parameter = condition.capture(in: link, plusSign, &parts) { parameters.append(parameter) }
        }
        if case .pattern(let pattern) = fragment, let path = parts.fragmentPath(of: link) {
            parameters += (pattern.captures(in: path, letterCase) ?? []).map { parameter in
                var parameter = parameter
                parameter.location = .fragment
                return parameter
            }
        }
        guard !sensitive.isEmpty else { return parameters }
        for index in parameters.indices where sensitive.contains(parameters[index].name) {
            parameters[index].isSensitive = true
        }
        return parameters
    }
}

extension [Route] {
    /// `linkHolds` of a route in the list. Copying the route would cost more than most of its conditions.
    func linkHolds(
        at position: Int,
        for link: DeepLink,
        _ plusSign: DeepLink.PlusSign,
        _ parts: inout LinkParts
    ) -> Bool {
        if self[position].$host.isPresent, case .label(let parameter?, _) = self[position].host {
            guard parameter.type.accepts(parts.hostLabel(of: link)) else { return false }
        }
        if self[position].trailingSlash == .strict {
            guard self[position].trailingSlashHolds(for: link) else { return false }
        }
        let query = self[position].query
        for index in query.indices {
            guard query[index].test.holds(query[index].name, for: link, plusSign, &parts) else { return false }
        }
        guard self[position].$fragment.isPresent, let fragment = self[position].fragment else { return true }
        return fragment.holds(for: link, self[position].letterCase, &parts)
    }
}

extension RoutePattern {
    /// A segment that captures parameters, and its index in the path.
    struct Capture: Sendable, Hashable {
        let index: Int
        let segment: Segment

        /// Appends the parameters that the segment captures from a matching link.
        func append(to parameters: inout [CapturedParameter], from link: DeepLink, _ letterCase: LetterCase) {
            switch segment {
            case .literal, .any: break
            case .parameter(let parameter):
                parameters.append(link.parameter(parameter, index, link.segments[index].range))
            case .mixed(let mixed):
                let ranges = mixed.match(link.pathBytes[link.segments[index].range], letterCase) ?? []
                for (piece, range) in zip(mixed.pieces, ranges) {
                    parameters.append(link.parameter(piece.parameter, index, range))
                }
            case .rest(let name):
                let (values, text) = link.rest(from: index)
                parameters.append(
                    CapturedParameter(
                        name: name,
                        value: .list(values),
                        text: text,
                        location: .rest(firstSegment: index)
                    )
                )
            }
        }
    }

    static func captures(of segments: [Segment]) -> [Capture] {
        segments.enumerated().compactMap { index, segment in
            switch segment {
            case .literal, .any: nil
            case .parameter, .mixed, .rest: Capture(index: index, segment: segment)
            }
        }
    }

    /// Whether the pattern matches the link's path.
    func matches(_ link: DeepLink, _ letterCase: LetterCase) -> Bool {
        var parts = LinkParts()
        return firstMismatch(in: link, letterCase, &parts) == nil
    }

    /// Returns the index of the first segment that does not match, or the number of segments if the link has more; nil if
    /// the pattern matches the link's path.
    ///
    /// - Parameter budget: Spends the steps of each comparison for each byte.
    func firstMismatch(
        in link: DeepLink,
        _ letterCase: LetterCase,
        _ parts: inout LinkParts,
        within budget: WorkBudget? = nil
    ) -> Int? {
        for (index, segment) in segments.enumerated() {
            if case .rest = segment { return nil }
            guard index < link.segments.count else { return index }
            let text = link.pathBytes[link.segments[index].range]
            if let budget, !budget.spend(segment.stepsInTrace(of: text.count)) { return index }
            guard parts.accepts(index, of: link, segment, letterCase) else { return index }
        }
        return segments.count == link.segments.count ? nil : segments.count
    }

    /// Returns the parameters that the pattern captures from the link's path; nil when it does not match.
    func captures(in link: DeepLink, _ letterCase: LetterCase) -> [CapturedParameter]? {
        guard matches(link, letterCase) else { return nil }
        var parameters: [CapturedParameter] = []
        for capture in Self.captures(of: segments) { capture.append(to: &parameters, from: link, letterCase) }
        return parameters
    }
}

extension RoutePattern.Segment {
    /// Returns whether the segment matches the decoded text of one segment, which is not empty.
    package func accepts(_ text: ArraySlice<UInt8>, _ letterCase: LetterCase) -> Bool {
        switch self {
        case .literal(let literal):
            text.withUnsafeBufferPointer { $0.count == literal.count && $0.has(literal, at: 0, letterCase) }
        case .parameter(let parameter): parameter.type.accepts(text, letterCase)
        case .mixed(let mixed): mixed.accepts(text, letterCase)
        case .any, .rest: true
        }
    }
}

extension DeepLink {
    /// Returns the single label of the host before `suffix`, in either form of the suffix; nil for other hosts.
    func hostLabel(before suffix: HostName) -> String? {
        guard let host, let dot = host.utf8.firstIndex(of: UInt8(ascii: ".")) else { return nil }
        let parent = host[host.utf8.index(after: dot)...]
        return parent == suffix.ascii || parent == suffix.unicode ? String(host[..<dot]) : nil
    }

    /// The fragment parsed as a path, if it starts with a slash and is a valid path; else nil.
    var fragmentPath: DeepLink? {
        guard let rawFragment, bytes[rawFragment].first == UInt8(ascii: "/") else { return nil }
        // The empty host keeps a fragment such as `//a` from being parsed as a host.
        var path = Array("f://".utf8)
        path.reserveCapacity(path.count + 3 * rawFragment.count)
        var rest = bytes[rawFragment]
        // A fragment may contain '?' and '#' as text; they would end a path.
        while let mark = rest.firstIndex(where: { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }) {
            path += rest[..<mark]
            path += (rest[mark] == UInt8(ascii: "?") ? "%3F" : "%23").utf8
            rest = rest[(mark + 1)...]
        }
        path += rest
        return try? DeepLink.parse(path)
    }

    /// Returns the texts of the segments from an index on, with the empty ones in front of each, and the same as one text.
    /// Both come from the bytes, because a path can have thousands of segments.
    fileprivate func rest(from index: Int) -> (values: [String], text: String) {
        var (values, text) = ([String](), [UInt8]())
        values.reserveCapacity(segments.count)
        text.reserveCapacity(pathBytes.count + segments.count)
        pathBytes.withUnsafeBufferPointer { bytes in
            for segment in segments.dropFirst(index) {
                for _ in 0..<segment.emptySegments {
                    values.append("")
                    text.append(UInt8(ascii: "/"))
                }
                let segment = UnsafeBufferPointer(rebasing: bytes[segment.range])
                values.append(String(decoding: segment, as: UTF8.self))
                text.append(contentsOf: segment)
                text.append(UInt8(ascii: "/"))
            }
        }
        return (values, String(decoding: text.dropLast(), as: UTF8.self))
    }

    fileprivate func parameter(
        _ parameter: RoutePattern.Parameter,
        _ segment: Int,
        _ range: Range<Int>
    ) -> CapturedParameter {
        let text = String(decoding: pathBytes[range], as: UTF8.self)
        return CapturedParameter(
            name: parameter.name,
            value: parameter.type.value(of: text),
            text: text,
            location: .path(segment: segment, bytes: range)
        )
    }
}

extension FragmentCondition {
    func holds(for link: DeepLink, _ letterCase: LetterCase, _ parts: inout LinkParts) -> Bool {
        switch self {
        case .equals(let expected): parts.fragment(of: link)?.isExactly(expected) == true
        case .pattern(let pattern): parts.fragmentMatches(pattern, of: link, letterCase)
        }
    }
}

extension QueryCondition {
    /// Whether the condition holds.
    func holds(for link: DeepLink, _ plusSign: DeepLink.PlusSign, _ parts: inout LinkParts) -> Bool {
        test.holds(name, for: link, plusSign, &parts)
    }

    /// Returns the expected and the found value when the condition fails; nil when it holds.
    func failure(in input: MatchInput, _ parts: inout LinkParts) -> (expected: String, found: String?)? {
        let (link, plusSign) = (input.link, input.plusSign)
        guard !holds(for: link, plusSign, &parts) else { return nil }
        let failed = link.query.lazy.filter { link.isName(of: $0, name, plusSign) }.first { item in
            !test.accepts(item, of: link, plusSign)
        }
        let found = failed.map { link.value(of: $0, plus: plusSign) ?? "an invalid escape" }
        return switch test {
        case .present: ("present", found)
        case .absent: ("absent", found)
        case .oneOf(let values): (values.joined(separator: " | "), found)
        case .capture(let parameter, _): (parameter.type.description, found)
        }
    }

    /// Returns the first occurrence that can be decoded, or the default; nil when there is nothing to capture.
    func capture(
        in link: DeepLink,
        _ plusSign: DeepLink.PlusSign,
        _ parts: inout LinkParts
    ) -> CapturedParameter? {
        guard case .capture(let parameter, let need) = test else { return nil }
        let first =
            if let query = parts.query(of: link, plusSign) {
                query.occurrences(named: name)?.first
            } else {
                link.query.first { !$0.hasInvalidValue && link.isName(of: $0, name, plusSign) }
            }
        if let first, let text = link.value(of: first, plus: plusSign) {
            return CapturedParameter(
                name: parameter.name,
                value: parameter.type.value(of: text),
                text: text,
                location: .query(name)
            )
        }
        guard case .defaultsTo(let text) = need else { return nil }
        return CapturedParameter(
            name: parameter.name,
            value: parameter.type.value(of: text),
            text: text,
            location: .query(name)
        )
    }
}

extension QueryCondition.Test {
    /// Whether the test of an item holds. Allocates only for a value that is written with escapes, and for long queries.
    func holds(
        _ name: String,
        for link: DeepLink,
        _ plusSign: DeepLink.PlusSign,
        _ parts: inout LinkParts
    ) -> Bool {
        guard !link.query.isEmpty else { return acceptsAbsence }
        if let query = parts.query(of: link, plusSign) {
            return query.occurrences(named: name)?.satisfy(self) ?? acceptsAbsence
        }
        var isAbsent = true
        for index in link.query.indices where link.isName(of: link.query[index], name, plusSign) {
            if case .present = self { return true }
            isAbsent = false
            guard accepts(link.query[index], of: link, plusSign) else { return false }
        }
        return !isAbsent || acceptsAbsence
    }

    /// Whether an occurrence of the item passes the test.
    func accepts(_ item: DeepLink.QueryItem, of link: DeepLink, _ plusSign: DeepLink.PlusSign) -> Bool {
        switch self {
        case .present: true
        case .absent: false
        case .oneOf(let values): link.valueBytes(of: item, plus: plusSign).map { values.contains($0) } ?? false
        case .capture(let parameter, _):
            // An optional item that cannot be decoded counts as absent.
            link.valueBytes(of: item, plus: plusSign).map { parameter.type.accepts($0) } ?? acceptsAbsence
        }
    }

    /// Whether a link without the item passes the test.
    var acceptsAbsence: Bool {
        switch self {
        case .absent, .capture(_, .optional), .capture(_, .defaultsTo): true
        case .present, .oneOf, .capture(_, .required): false
        }
    }
}
