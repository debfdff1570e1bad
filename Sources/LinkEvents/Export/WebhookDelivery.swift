import Crypto
package import LinkRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A notification that an export is ready or has a new version. It is stored beside the log until it is delivered.
package struct WebhookDelivery: Sendable, Hashable {
    /// The idempotency key: the same for one version of one export, over all attempts and crashes, so that a receiver
    /// can detect duplicates.
    package let id: String
    package let tenant: TenantID
    /// JSON text; the same bytes in every attempt.
    package let payload: String
    package let createdAt: Timestamp
    /// The number of failed attempts.
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

    /// The due time of a held delivery, whose manifest may not be in the sink yet.
    package static let held = Timestamp(milliseconds: .max)

    static func id(of manifest: ExportManifest) -> String {
        let what = "\(manifest.name) v\(manifest.version) \(manifest.file?.sha256 ?? "")"
        return "msg_" + SHA256.hash(data: Array(what.utf8)).hexadecimal.prefix(32)
    }

    /// The name of the export in the payload; nil if the payload has none.
    var exportName: String? {
        let limits = JSONReader.Limits(maximumBytes: ExportPath.mostManifestBytes * 2)
        return (try? JSONReader.parse(payload, limits: limits))?["data"]?["name"]?.text
    }

    /// Creates a held delivery.
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
