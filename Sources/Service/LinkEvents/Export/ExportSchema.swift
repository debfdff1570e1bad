/// The columns of an export, in order. docs/exports.md lists them. Adding a column raises the schema version.
package enum ExportSchema {
    package static let version = 1

    package static let columns: [String] = {
        var names = Names()
        Event.Fields.visit(&names)
        return names.names
    }()

    private struct Names: EventFieldVisitor {
        var names: [String] = []

        mutating func sequence(_ name: String) { names.append(name) }

        mutating func visit(
            _ name: String,
            _: WritableKeyPath<Event.Fields, some EventFieldValue>,
            _: EventColumn.Storage,
            _: ExportForm
        ) {
            names.append(name)
        }

        mutating func utm(_ name: String, _: Event.UTM) { names.append(name) }
    }
}
