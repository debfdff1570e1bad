public import LinkRouting

/// The `assetlinks.json` file of one host: which Android apps may open all of its links.
public enum AndroidFileGenerator {
    /// The file's JSON for `host`, in look-up form; without apps for the host an empty list.
    public static func file(for host: String, router: Router) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginArray()
        for app in router.identity.apps
        where app.environment == router.environment && app.isNamed(on: host, of: router.identity) {
            guard case .android(let package, let fingerprints) = app.product, !fingerprints.isEmpty else { continue }
            writer.beginObject()
            writer.strings("relation", ["delegate_permission/common.handle_all_urls"])
            writer.key("target")
            writer.beginObject()
            writer.member("namespace", "android_app")
            writer.member("package_name", package)
            writer.strings("sha256_cert_fingerprints", fingerprints)
            writer.endObject()
            writer.endObject()
        }
        writer.endArray()
        return writer.bytes
    }
}
