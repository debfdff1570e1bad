package import LinkRouting

/// The reason why a signed table is not accepted.
package enum TableRejection: Error, Hashable, Sendable, CustomStringConvertible {
    case tooLarge(bytes: Int)
    /// The end is missing.
    case truncated
    case malformed(String)
    case otherAlgorithm(String)
    /// The id of the key of the table, and the accepted keys.
    case unknownKey(String, accepted: [TablePublicKey])
    case badSignature
    case newerFormat(Int64)
    case unsupportedFeatures([String])
    case unreadable(String)
    case otherTenant(TenantID)
    case otherEnvironment(EnvironmentID)
    case otherApp(AppID)
    case older(AppTableVersion, than: AppTableVersion)
    case expired(Timestamp)
    case issuedInFuture(Timestamp)

    /// A stable name of the reason.
    package var code: String {
        switch self {
        case .tooLarge: "too_large"
        case .truncated: "truncated"
        case .malformed: "malformed"
        case .otherAlgorithm: "other_algorithm"
        case .unknownKey: "unknown_key"
        case .badSignature: "bad_signature"
        case .newerFormat: "newer_format"
        case .unsupportedFeatures: "unsupported_features"
        case .unreadable: "unreadable"
        case .otherTenant: "other_tenant"
        case .otherEnvironment: "other_environment"
        case .otherApp: "other_app"
        case .older: "older"
        case .expired: "expired"
        case .issuedInFuture: "issued_in_future"
        }
    }

    package var description: String {
        switch self {
        case .tooLarge(let bytes):
            "The table has \(bytes) bytes; at most \(SignedTable.maximumBytes) are allowed."
        case .truncated: "The end of the table is missing; download it again."
        case .malformed(let problem):
            "This is not a signed table: \(problem) Fetch one with 'fingerpost table export'."
        case .otherAlgorithm(let name):
            "The table is signed with the algorithm \(Self.quoted(name)); only EdDSA is accepted."
        case .unknownKey(let id, let accepted):
            "The table is signed with the key that has the id (kid) \(Self.quoted(id)). \(Self.ids(of: accepted, id)) "
                + "Add the public key: the 43 characters of 'x', which 'fingerpost table keys show' prints. Or sign "
                + "with an accepted key."
        case .badSignature:
            "The signature does not belong to the table, so the table was changed or damaged. Fetch it "
                + "again."
        case .newerFormat(let version):
            "The table has formatVersion \(version); this engine reads up to \(RouteTable.formatVersion). "
                + "Update the app."
        case .unsupportedFeatures(let names):
            "The table requires \(names.prefix(8).map(Self.quoted).joined(separator: ", ")), which this engine does "
                + "not support. Update the app."
        case .unreadable(let problem): "The table cannot be read: \(problem)"
        case .otherTenant(let id): "The table belongs to the tenant '\(id)'. \(advice)"
        case .otherEnvironment(let id): "The table belongs to the environment '\(id)'. \(advice)"
        case .otherApp(let id): "The table belongs to the app '\(id)'. \(advice)"
        case .older(let found, let current):
            "The table (\(found)) is older than the one in use (\(current)), which stays in use."
        case .expired(let instant):
            "The table expired at \(instant). If this is not in the past, set the clock of this device."
        case .issuedInFuture(let instant):
            "The table was issued at \(instant), which is in the future. Set the clock of this device."
        }
    }

    /// Names the accepted keys, and says if one of them is the id of the key instead of the key.
    private static func ids(of accepted: [TablePublicKey], _ id: String) -> String {
        guard !accepted.contains(where: { $0.description == id }) else {
            return "The accepted keys contain this id, which is not the public key."
        }
        guard !accepted.isEmpty else { return "No key is accepted." }
        return "The accepted keys have the ids \(accepted.prefix(4).map { quoted($0.id) }.joined(separator: ", "))."
    }

    private var advice: String { "Export the right table, or correct the tenant, environment or app." }

    /// A text from the outside, shortened and without control characters.
    private static func quoted(_ text: String) -> String {
        let shown = text.unicodeScalars.prefix(64).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }
        return "'\(shown.joined())'"
    }
}
