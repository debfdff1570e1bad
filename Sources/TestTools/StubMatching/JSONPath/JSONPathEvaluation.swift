import LinkRouting

/// One evaluation of a path. Its recursion is bounded by the depth of the document and the length of the path.
struct JSONPathEvaluation {
    let document: JSONNode
    /// The remaining steps.
    var steps: Int

    /// Ends an evaluation early.
    enum Stop: Error {
        /// A definite path does not exist.
        case notFound
        case failure(JSONPath.Failure)
    }

    /// Returns the values that a path finds, starting at a value.
    mutating func result(of path: JSONPathTokens, from item: JSONNode) throws(JSONPath.Failure) -> JSONPath.Result {
        var results: [JSONNode] = []
        do throws(Stop) {
            try evaluate(path, at: 0, path.root == .document ? document : item, &results)
        } catch {
            switch error {
            case .notFound: return .nothing
            case .failure(let failure): throw failure
            }
        }
        guard path.isDefinite else { return .list(results) }
        guard let last = results.last else { return .nothing }
        return .value(last)
    }

    mutating func spend(_ count: Int = 1) throws(Stop) {
        steps -= count
        if steps < 0 { throw .failure(.stepLimitExceeded) }
    }

    /// Applies the step at `index` and all after it to a value.
    private mutating func evaluate(
        _ path: JSONPathTokens,
        at index: Int,
        _ node: JSONNode,
        _ results: inout [JSONNode]
    ) throws(Stop) {
        try spend()
        guard index < path.tokens.count else { return results.append(node) }
        switch path.tokens[index] {
        case .properties(let names): try evaluate(names, path, at: index, node, &results)
        case .indexes(let indexes):
            guard let elements = try elements(of: node, path, at: index) else { return }
            for offset in indexes { try element(offset, of: elements, path, at: index, &results) }
        case .slice(let from, let to):
            guard let elements = try elements(of: node, path, at: index) else { return }
            for offset in Self.slice(from, to, count: elements.count) {
                try element(offset, of: elements, path, at: index, &results)
            }
        case .wildcard:
            for child in Self.children(of: node) {
                // Values without the next step are left out.
                do throws(Stop) { try evaluate(path, at: index + 1, child, &results) } catch {
                    try Self.ignoreNotFound(error)
                }
            }
        case .scan: try scan(path, at: index + 1, node, &results)
        case .filter(let filter): try evaluate(filter, path, at: index, node, &results)
        case .function(let function, let parameters):
            let value = try call(function, parameters, on: node)
            try evaluate(path, at: index + 1, value, &results)
        }
    }

    private static func ignoreNotFound(_ stop: Stop) throws(Stop) {
        if case .failure = stop { throw stop }
    }

    // MARK: Names

    private mutating func evaluate(
        _ names: [String],
        _ path: JSONPathTokens,
        at index: Int,
        _ node: JSONNode,
        _ results: inout [JSONNode]
    ) throws(Stop) {
        guard let members = node.members else {
            if path.isDefinite(before: index) { throw .notFound }
            return
        }
        try spend(members.count / 4)
        let isLast = index == path.tokens.count - 1
        if names.count > 1, isLast {
            let found = names.compactMap { name in node[name].map { JSONNode.Member(name, $0) } }
            return results.append(JSONNode(.object(found)))
        }
        for name in names {
            if let value = node[name] {
                try evaluate(path, at: index + 1, value, &results)
            } else if !isLast, names.count == 1, path.isDefinite(before: index) {
                throw .notFound
            }
        }
    }

    // MARK: Lists

    /// The elements of a list. Nil for another value, which a definite path must not have.
    private func elements(of node: JSONNode, _ path: JSONPathTokens, at index: Int) throws(Stop) -> [JSONNode]? {
        if let elements = node.elements { return elements }
        if path.isDefinite(before: index) { throw .notFound }
        return nil
    }

    private mutating func element(
        _ offset: Int,
        of elements: [JSONNode],
        _ path: JSONPathTokens,
        at index: Int,
        _ results: inout [JSONNode]
    ) throws(Stop) {
        let position = offset < 0 ? elements.count + offset : offset
        guard elements.indices.contains(position) else { return }
        try evaluate(path, at: index + 1, elements[position], &results)
    }

    /// The offsets of a slice. As in Jayway, a negative start with an end counts up through zero.
    private static func slice(_ from: Int?, _ to: Int?, count: Int) -> Range<Int> {
        switch (from, to) {
        case (let from?, nil):
            let start = max(0, from < 0 ? count + from : from)
            return start < count ? start..<count : 0..<0
        case (let from?, let to?):
            let end = min(count, to)
            // Offsets below -count name no element.
            let start = max(from, -count)
            return start < end && count > 0 ? start..<end : 0..<0
        case (nil, let to):
            let end = min(count, (to ?? count) < 0 ? count + (to ?? 0) : to ?? count)
            return end > 0 ? 0..<end : 0..<0
        }
    }

    private static func children(of node: JSONNode) -> [JSONNode] {
        node.elements ?? node.members?.map(\.value) ?? []
    }

    // MARK: Filters and ..

    private mutating func evaluate(
        _ filter: JSONPathFilter,
        _ path: JSONPathTokens,
        at index: Int,
        _ node: JSONNode,
        _ results: inout [JSONNode]
    ) throws(Stop) {
        if let elements = node.elements {
            for element in elements where try accepts(filter, element) {
                try evaluate(path, at: index + 1, element, &results)
            }
        } else if node.members != nil {
            if try accepts(filter, node) { try evaluate(path, at: index + 1, node, &results) }
        } else if path.isDefinite(before: index) {
            throw .failure(.notApplicable("a filter applies to a list or an object, not to \(node.kind)."))
        }
    }

    /// Applies the step at `index` to a value and all values below it, as far as it suits them.
    private mutating func scan(
        _ path: JSONPathTokens,
        at index: Int,
        _ node: JSONNode,
        _ results: inout [JSONNode]
    ) throws(Stop) {
        try spend()
        guard index < path.tokens.count, node.elements != nil || node.members != nil else { return }
        if try suits(path, at: index, node) {
            do throws(Stop) { try evaluate(path, at: index, node, &results) } catch { try Self.ignoreNotFound(error) }
        }
        for child in Self.children(of: node) { try scan(path, at: index, child, &results) }
    }

    private mutating func suits(_ path: JSONPathTokens, at index: Int, _ node: JSONNode) throws(Stop) -> Bool {
        switch path.tokens[index] {
        case .properties(let names):
            guard node.members != nil else { return false }
            let isDefinite = names.count == 1 || index == path.tokens.count - 1
            return !isDefinite || names.allSatisfy { node[$0] != nil }
        case .indexes, .slice: return node.elements != nil
        case .wildcard: return true
        case .filter(let filter): return try accepts(filter, node)
        case .scan, .function: return false
        }
    }
}
