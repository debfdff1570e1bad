/// The example tenants, embedded so that `--demo` needs no files beside the binary, and the documented configuration.
package enum Examples {
    /// Tenant documents (YAML) by name.
    package static let tenants: [(name: String, document: String)] = [
        ("sample", text(PackageResources.sample_yaml)),
        ("blogs", text(PackageResources.blogs_yaml)),
        ("taxi", text(PackageResources.taxi_yaml)),
        ("shop", text(PackageResources.shop_yaml)),
        ("magazine", text(PackageResources.magazine_yaml)),
    ]

    /// The suites of the tenants (YAML) by name.
    package static let suites: [(name: String, document: String)] = [
        ("sample", text(PackageResources.sample_suite_yaml)),
        ("blogs", text(PackageResources.blogs_suite_yaml)),
        ("taxi", text(PackageResources.taxi_suite_yaml)),
        ("shop", text(PackageResources.shop_suite_yaml)),
        ("magazine", text(PackageResources.magazine_suite_yaml)),
    ]

    /// config/fingerpost.yaml, which describes every key.
    package static let configuration = text(PackageResources.fingerpost_yaml)

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
