/// A port by its purpose; its flag and its configuration keys have the same name.
package enum PortRole: String, Sendable {
    case `public`, admin, ops
}
