extension AppleDecision {
    /// Returns the conditions besides the file (Apple, TN3155 and "Supporting associated domains").
    static func assumptions(_ outcome: Outcome, host: String, domain: String?) -> [String] {
        let file = "The device has fetched this file as that of \(domain ?? host)."
        guard outcome == .match else { return [file] }
        let entitlement =
            if let domain, domain.hasPrefix("*.") {
                "The app is installed, its entitlement lists applinks:\(domain), and neither \(host) itself nor a longer wildcard."
            } else {
                "The app is installed and its entitlement lists applinks:\(domain ?? host)."
            }
        return [
            file, entitlement,
            "The link is tapped, not typed or pasted into the address bar.",
            "The link is tapped outside the browser or on a page of another domain.",
            "The user has not chosen to open this domain's links in the browser.",
            "The link is not opened by JavaScript without a user gesture.",
        ]
    }
}
