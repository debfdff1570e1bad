import HTTPTransport
import LinkServer

/// The keys of config/fingerpost.yaml for admission: client identification, rate limits and the origins of pages.
struct AdmissionConfiguration {
    /// The part that can change while the service runs.
    let policy: AdmissionPolicy
    let proxyProtocol: ProxyProtocol
    /// The value of each key, or its default.
    let effective: [String]

    /// In the order of config/fingerpost.yaml.
    static let keys =
        ["trustedProxies", "proxies.header", "proxies.protocol"]
        + scopes.flatMap { ["rateLimits.\($0.name).perSecond", "rateLimits.\($0.name).burst"] }
        + ["rateLimits.exempt", "cors.origins"]

    /// The rate limit scopes with their defaults.
    private static let scopes: [(name: String, perSecond: Int, burst: Int)] = [
        ("address", 100, 200), ("key", 0, 0), ("tenant", 0, 0), ("authentication", 1, 20),
    ]

    /// - Parameters:
    ///   - text: Returns the value of a key, or the given default.
    ///   - number: The same for a whole number within bounds.
    init(
        text: (_ key: String, _ standard: String) -> String,
        number: (_ key: String, _ standard: Int, _ range: ClosedRange<Int>) throws -> Int
    ) throws {
        var policy = AdmissionPolicy()
        var limits: [RateLimit?] = []
        var written = [text("trustedProxies", "")]
        policy.proxies.ranges = try ServiceConfiguration.ranges("trustedProxies", written[0])
        policy.proxies.header = try .read("proxies.header", text("proxies.header", "x-forwarded-for"))
        proxyProtocol = try .read("proxies.protocol", text("proxies.protocol", "off"))
        written += [policy.proxies.header.rawValue, proxyProtocol.rawValue]
        for scope in Self.scopes {
            let key = "rateLimits.\(scope.name)"
            let perSecond = try number("\(key).perSecond", scope.perSecond, 0...RateLimit.mostPerSecond)
            let burst = try number("\(key).burst", scope.burst, 0...RateLimit.mostAtOnce)
            // A rate without a burst gets a burst of the same size; otherwise requests within one second would be
            // refused.
            limits.append(RateLimit(perSecond: perSecond, burst: burst == 0 ? perSecond : burst))
            written += ["\(perSecond)", "\(burst)"]
        }
        (policy.address, policy.key, policy.tenant, policy.authentication) = (
            limits[0], limits[1], limits[2], limits[3]
        )
        written.append(text("rateLimits.exempt", "127.0.0.0/8, ::1/128"))
        policy.exempt = try ServiceConfiguration.ranges("rateLimits.exempt", written[written.count - 1])
        written.append(text("cors.origins", ""))
        policy.origins = try Self.origins(written[written.count - 1])
        self.policy = policy
        effective = written
    }

    /// Parses origins separated by commas or spaces. Browsers send each origin in one spelling, so others are refused.
    private static func origins(_ text: String) throws -> Set<String> {
        let shape = /([a-z][a-z0-9+.-]*):\/\/(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?/
        let origins = try text.split { $0 == "," || $0.isWhitespace }.map { origin in
            guard let parts = origin.wholeMatch(of: shape)?.output,
                !["https:443", "http:80"].contains("\(parts.1)\(parts.2 ?? "")")
            else {
                throw ServiceConfiguration.Invalid(
                    "cors.origins",
                    "contains '\(origin)'; write an origin as browsers send it, such as https://www.acme.com or "
                        + "capacitor://localhost: without a path, in lower case, and without the default port."
                )
            }
            return String(origin)
        }
        return Set(origins)
    }
}
