import LinkRouting

/// One rule of a generated file, for either platform.
struct AssociationRule: Hashable {
    var path: Glob
    /// The patterns of query items; each name occurs once.
    var query: [QueryItem] = []
    var fragment: Glob?
    var isExcluded = false
    var foldsCase = false
    /// The route from which the rule is made; nil for the fallback's rule.
    var route: RouteID?

    struct QueryItem: Hashable {
        var name: String
        var value: Glob

        /// Compares names by bytes, as links are compared with them.
        static func == (left: Self, right: Self) -> Bool {
            left.name.isExactly(right.name) && left.value == right.value
        }
    }

    /// Whether the rule is only for the root, which Android cannot write as a pattern; `path` is `*` then.
    var isRoot = false

    /// The work of comparing a link with the rule, in bytes of a link.
    var comparisonCost: Int { 8 + path.pieces.count + 8 * query.count }

    /// About as many bytes as the rule has in a file.
    var size: Int {
        16 + path.pieces.count + (fragment?.pieces.count ?? 0)
            + query.reduce(0) { $0 + 8 + $1.name.utf8.count + $1.value.pieces.count }
    }

    /// Returns whether this rule matches every URL that `other` matches, considering query and fragment only.
    func takesQueryAndFragment(of other: AssociationRule) -> Bool {
        // Equal patterns match the same texts only if both rules have the same flags.
        let isReadAlike = (isExcluded, foldsCase) == (other.isExcluded, other.foldsCase)
        return (isReadAlike || query.isEmpty && fragment == nil)
            && query.allSatisfy(other.query.contains) && (fragment == nil || fragment == other.fragment)
    }
}
