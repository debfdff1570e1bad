import LinkRouting

/// The mappings of one file: a mapping, or an object with a list `mappings`.
package struct MappingFile: Sendable {
    package let fields: [MappingField]
    package let holdsSeveral: Bool

    package init(_ bytes: some Collection<UInt8>) throws(MappingError) {
        let node: JSONNode
        do throws(JSONSyntaxError) {
            node = try JSONReader.parse(bytes, limits: .stubs)
        } catch {
            throw MappingError(error, in: bytes)
        }
        let root = MappingField(node)
        guard let list = root["mappings"] else {
            (fields, holdsSeveral) = ([root], false)
            return
        }
        try root.requireKeys(["mappings", "meta", "importOptions", "$schema"])
        (fields, holdsSeveral) = (try list.list(), true)
    }
}
