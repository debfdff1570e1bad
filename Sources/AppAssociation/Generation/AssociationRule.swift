import LinkRouting

/// One rule of a generated file, of either platform.
struct AssociationRule: Hashable {
    var path: Glob
    /// Item names with their patterns, each name once.
    var query: [QueryItem] = []
    var fragment: Glob?
    var isExcluded = false
    var foldsCase = false
    /// The route that it was made from; nil for the fallback's.
    var route: RouteID?

    struct QueryItem: Hashable {
        var name: String
        var value: Glob

        /// As links are compared with it: by bytes.
        static func == (left: Self, right: Self) -> Bool {
            left.name.isExactly(right.name) && left.value == right.value
        }
    }

    /// Only the root, which Android cannot write as a pattern; the path is `*` then.
    var isRoot = false

    /// Whether this rule takes every URL that `other` takes, as far as query and fragment go.
    func takesQueryAndFragment(of other: AssociationRule) -> Bool {
        // The same text means the same only where it is read in the same way.
        let isReadAlike = (isExcluded, foldsCase) == (other.isExcluded, other.foldsCase)
        return (isReadAlike || query.isEmpty && fragment == nil)
            && query.allSatisfy(other.query.contains) && (fragment == nil || fragment == other.fragment)
    }
}
