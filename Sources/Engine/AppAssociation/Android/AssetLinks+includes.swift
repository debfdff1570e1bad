public import LinkRouting

extension AssetLinks {
    /// An `include` of a statement list.
    public struct Include: Sendable, Hashable {
        public let url: String
        /// The JSON pointer and the position of the statement.
        public let pointer: String
        public let position: JSONNode.Position
    }

    /// The valid includes, in the order of the file.
    public var includes: [Include] {
        statements.compactMap { statement in
            guard case .success(.include(let url)) = statement.content else { return nil }
            return Include(url: url, pointer: statement.pointer, position: statement.node.position)
        }
    }

    /// Returns the list with the statements of other lists after its own. Their includes are left out, because Android
    /// follows one level. Pointers refer to the joined list.
    public func appending(_ others: [AssetLinks]) -> AssetLinks {
        let more = others.flatMap { $0.root.elements ?? [] }.filter { $0["include"] == nil }
        return AssetLinks(root: JSONNode(.array((root.elements ?? []) + more), at: root.position))
    }
}
