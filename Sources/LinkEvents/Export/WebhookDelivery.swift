import Crypto
package import LinkRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// That an export is ready, or has a new version: kept beside the log until it was told.
package struct WebhookDelivery: Sendable, Hashable {
    /// The same for the same version of the same export, over every attempt and after every crash, so that whoever is told
    /// twice can tell.
    package let id: String
    package let tenant: TenantID
    /// JSON text, the same bytes in every attempt.
    package let payload: String
    package let createdAt: Timestamp
    /// How often it was tried to tell.
    package let attempts: Int
    package let dueAt: Timestamp

    package init(
        id: String,
        tenant: TenantID,
        payload: String,
        createdAt: Timestamp,
        attempts: Int,
        dueAt: Timestamp
    ) {
        self.id = id
        self.tenant = tenant
        self.payload = payload
        self.createdAt = createdAt
        self.attempts = attempts
        self.dueAt = dueAt
    }

    /// The time of a notice that is held back: its manifest may not stand in the sink yet.
    package static let held = Timestamp(milliseconds: .max)

    static func id(of manifest: ExportManifest) -> String {
        let what = "\(manifest.name) v\(manifest.version) \(manifest.file?.sha256 ?? "")"
        return "msg_" + SHA256.hash(data: Array(what.utf8)).hexadecimal.prefix(32)
    }

    /// What its manifest is about; nil for a payload that nobody here has written.
    var exportName: String? {
        let limits = JSONReader.Limits(maximumBytes: ExportPath.mostManifestBytes * 2)
        return (try? JSONReader.parse(payload, limits: limits))?["data"]?["name"]?.text
    }

    /// Held back.
    init(of manifest: ExportManifest, at now: Timestamp) {
        id = Self.id(of: manifest)
        tenant = manifest.tenant
        createdAt = now
        attempts = 0
        dueAt = Self.held
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("type", "export.ready")
        writer.member("timestamp", now.description)
        writer.key("data")
        manifest.write(to: &writer)
        writer.endObject()
        payload = writer.text
    }
}

/// Whether exports are told about.
package enum ExportAnnouncing: Sendable {
    case off, on
}
