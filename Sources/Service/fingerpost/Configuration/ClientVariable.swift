import Foundation

/// A variable with the default of an option that names a server or a key.
enum ClientVariable: String, CaseIterable {
    case key = "FINGERPOST_KEY"
    /// The admin address.
    case server = "FINGERPOST_SERVER"
    case publicServer = "FINGERPOST_PUBLIC_SERVER"

    /// Nil if the variable is unset or empty.
    var value: String? {
        ProcessInfo.processInfo.environment[rawValue].flatMap { $0.isEmpty ? nil : $0 }
    }
}
