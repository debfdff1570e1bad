import LinkRouting

/// A value of an app's `com.apple.developer.associated-domains` entitlement, such as `applinks:www.acme.com`.
///
/// Source: Apple, "Supporting associated domains".
public enum Entitlement {
    private static let services = ["applinks", "webcredentials", "activitycontinuation", "appclips"]
    private static let modes = ["developer", "managed", "developer+managed"]

    /// Returns the findings on a value. Their position is line 1, column 1.
    public static func validate(_ value: String) -> [AssociationFinding] {
        func finding(_ message: String, _ fix: String) -> AssociationFinding {
            AssociationFinding(.entitlement, .error, message: "'\(value)': \(message)", fix: fix)
        }
        guard let colon = value.firstIndex(of: ":"), services.contains(String(value[..<colon])) else {
            let host = value.split(separator: "/").last { $0.contains(".") } ?? "host"
            return [finding("it does not begin with a service and a colon.", "Write 'applinks:\(host)'.")]
        }
        let service = String(value[..<colon])
        let parts = value[value.index(after: colon)...].split(
            separator: "?",
            maxSplits: 1,
            omittingEmptySubsequences: false
        )
        let plain = canonical(parts[0])
        if plain != parts[0] {
            return [
                finding(
                    "only a host can follow the colon, without scheme, port, path or slash; no system matches this.",
                    "Write '\(service):\(plain)'."
                )
            ]
        }
        let isWild = plain.hasPrefix("*.")
        guard let name = try? HostName(isWild ? plain.dropFirst(2) : plain[...]) else {
            return [finding("'\(plain)' is not a host.", "Write a name such as 'links.acme.com' or '*.acme.com'.")]
        }
        guard name.ascii == (isWild ? String(plain.dropFirst(2)) : plain) else {
            return [
                finding(
                    "an international name must be written as Punycode, in lower case.",
                    "Write '\(service):\(isWild ? "*." : "")\(name.ascii)'."
                )
            ]
        }
        if isWild, service == "appclips" {
            return [finding("App Clips cannot be associated with a wildcard.", "List each host.")]
        }
        return parts.count == 2 ? mode(parts[1], value, service, plain) : []
    }

    private static func mode(
        _ text: Substring,
        _ value: String,
        _ service: String,
        _ host: String
    ) -> [AssociationFinding] {
        guard text.hasPrefix("mode="), modes.contains(String(text.dropFirst(5))) else {
            return [
                AssociationFinding(
                    .entitlement,
                    .error,
                    message: "'\(value)': only ?mode=developer, ?mode=managed and ?mode=developer+managed may follow.",
                    fix: "Write '\(service):\(host)'."
                )
            ]
        }
        return [
            AssociationFinding(
                .entitlementMode,
                .warning,
                message:
                    "'\(value)': only development builds, or apps installed by device management, read this value; a release "
                    + "needs one without a mode.",
                fix: "Add '\(service):\(host)' for releases."
            )
        ]
    }

    /// Returns the host of a text that may be copied from a browser.
    private static func canonical(_ text: Substring) -> String {
        var rest = text
        if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...] }
        rest = rest.prefix { $0 != "/" && $0 != "#" }
        if let colon = rest.firstIndex(of: ":") { rest = rest[..<colon] }
        return String(rest)
    }
}
