import Crypto
import LinkRouting

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension WebhookDelivery {
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
