import AppAssociation
import Foundation
package import LinkRouting

/// An entitlements file of an iOS app: a property list, in XML or binary.
package struct EntitlementsFile {
    private let path: String
    /// The values of `com.apple.developer.associated-domains`.
    private let values: [String]

    private static let key = "com.apple.developer.associated-domains"
    private static let maximumBytes = 1 << 20

    package init(_ path: String) throws {
        self.path = path
        let bytes = try readBytes(path)
        guard bytes.count <= Self.maximumBytes else {
            throw fail("\(path) is larger than any entitlements file; name the .entitlements file.", .unreadableInput)
        }
        guard let list = try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil),
            let entitlements = list as? [String: Any]
        else {
            throw fail(
                "\(path) is not a property list of entitlements. For a built app, run: codesign -d --entitlements - --xml APP",
                .unreadableInput
            )
        }
        guard let value = entitlements[Self.key] else {
            throw fail(
                "\(path) has no '\(Self.key)'; add it in Xcode under Signing & Capabilities, Associated Domains.",
                .failed
            )
        }
        guard let values = value as? [String] else {
            throw fail(
                "\(path): '\(Self.key)' must be an array of strings, such as applinks:www.acme.com.",
                .unreadableInput
            )
        }
        self.values = values
    }

    /// A line for people, and whether it is an error.
    package struct Remark {
        package let severity: Finding.Severity
        package let text: String
        package var line: String { "\(severity.rawValue): \(text)" }
    }

    /// Returns what is wrong with the values, and where they differ from the domains of an app.
    ///
    /// - Parameter app: The app and the domains of its settings; nil to check the values alone.
    package func remarks(_ app: (app: RegisteredApp, domains: [Domain])?) -> [Remark] {
        let findings = values.flatMap { Entitlement.validate($0) }.map {
            Remark(severity: $0.severity, text: "\(path): \($0.message) \($0.fix)")
        }
        guard let app else { return findings }
        return findings + missing(app.app, app.domains) + unknown(app.domains)
    }

    /// The hosts of valid `applinks` values without a mode that a release ignores.
    private var hosts: [String] {
        values.compactMap { value in
            guard value.hasPrefix("applinks:"), !Entitlement.validate(value).contains(where: { $0.severity == .error })
            else { return nil }
            return String(value.dropFirst("applinks:".count).prefix { $0 != "?" })
        }
    }

    private func missing(_ app: RegisteredApp, _ domains: [Domain]) -> [Remark] {
        domains.filter { domain in
            app.domains.map { $0.contains(Self.name(of: domain)) } ?? true
        }.filter { domain in
            let parents = HostName.parents(of: domain.host)
            return !hosts.contains(Self.name(of: domain)) && !parents.contains { hosts.contains("*.\($0)") }
        }.map { domain in
            Remark(
                severity: .error,
                text: "\(path): the app '\(app.id)' does not open links of \(Self.name(of: domain)). Add "
                    + "'applinks:\(Self.name(of: domain))'."
            )
        }
    }

    private func unknown(_ domains: [Domain]) -> [Remark] {
        let known = Set(domains.map(Self.name))
        return hosts.filter { !known.contains($0) }.map { host in
            Remark(
                severity: .warning,
                text:
                    "\(path): 'applinks:\(host)' is not a domain of the settings, so Fingerpost generates no file for it. Add "
                    + "it to 'domains', or remove the value."
            )
        }
    }

    private static func name(of domain: Domain) -> String {
        domain.coversSubdomains ? "*.\(domain.host)" : domain.host
    }
}
