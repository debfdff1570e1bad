extension Identity {
    /// The keys of the settings that make up the identity.
    public static let keys = ["domains", "schemes", "apps", "destinations", "association", "links"]

    /// Reads the identity's keys of a settings object. The caller is responsible for the other keys.
    public init(_ object: ObjectField) throws(DocumentError) {
        var errors = ErrorList()
        self.init(object, &errors)
        if let error = errors.errors.first { throw error }
    }

    /// Reads the identity's keys of a settings object, without the entries that have errors.
    ///
    /// - Parameter refusal: Why no tenant may claim a domain; nil if one may.
    package init(
        _ object: ObjectField,
        _ errors: inout ErrorList,
        refusal: (Domain) -> String? = { _ in nil }
    ) {
        let before = errors.errors.count
        let domains = Self.distinct(object["domains"], &errors) { field throws(DocumentError) in
            let domain = try Domain(field)
            if let problem = refusal(domain) { throw field.error(problem) }
            return domain
        } identity: { domain in
            (DomainName(domain, port: domain.port), "duplicate domain; remove one.")
        }
        // An app's domain may be one that cannot be read; only one of the two errors is of use.
        let hosts = errors.errors.count == before ? Set(domains.map { DomainName($0, port: nil) }) : nil
        let schemes = Self.distinct(object["schemes"], &errors, Scheme.init) { scheme in
            (scheme.name, "duplicate scheme; remove one.")
        }
        let apps = Self.distinct(object["apps"], &errors) { field throws(DocumentError) in
            var app = try RegisteredApp(field)
            if let named = try field.anyObject()["domains"] { app.domains = try Self.hosts(named, among: hosts) }
            return app
        } identity: { app in
            (app.id, "duplicate app id '\(app.id)'; give each app its own.")
        }
        let own = DestinationPolicy(ownOf: domains, schemes)
        let destinations = errors.read { () throws(DocumentError) in
            try object["destinations"].map { field throws(DocumentError) in try DestinationPolicy(field, own: own) }
        }
        let association = errors.read { () throws(DocumentError) in
            try object["association"].map(AssociationPolicy.init)
        }
        let links = errors.read { () throws(DocumentError) in try object["links"].map(LinkReading.init) }
        self.init(
            domains: domains,
            schemes: schemes,
            apps: apps,
            destinations: destinations.flatMap(\.self) ?? own,
            association: association.flatMap(\.self) ?? AssociationPolicy(),
            links: links.flatMap(\.self) ?? []
        )
    }

    /// Reads the entries of a list, without those that have errors.
    ///
    /// - Parameter identity: What no two entries may have in common, and the message if they do.
    private static func distinct<Entry, Key: Hashable>(
        _ list: DocumentField?,
        _ errors: inout ErrorList,
        _ read: (DocumentField) throws(DocumentError) -> Entry,
        identity: (Entry) -> (key: Key, message: String)
    ) -> [Entry] {
        guard let list, let fields = errors.read(list.list) else { return [] }
        var entries: [Entry] = []
        var keys: Set<Key> = []
        for field in fields {
            guard let entry = errors.read({ () throws(DocumentError) in try read(field) }) else { continue }
            let (key, message) = identity(entry)
            if keys.insert(key).inserted { entries.append(entry) } else { errors.add(field.error(message)) }
        }
        return entries
    }

    /// Reads the hosts of an app, in the form of `RegisteredApp.domains`.
    ///
    /// - Parameter domains: The tenant's domains, of which each host must be one; nil if they are not known.
    private static func hosts(
        _ field: DocumentField,
        among domains: Set<DomainName>?
    ) throws(DocumentError) -> Set<String> {
        var hosts: Set<String> = []
        for field in try field.oneOrMore() {
            let named = try Domain(field)
            guard domains?.contains(DomainName(named, port: nil)) ?? true else {
                throw field.error("\(field.shown) is not one of the tenant's domains; list it under 'domains' first.")
            }
            hosts.insert(named.coversSubdomains ? "*.\(named.host)" : named.host)
        }
        return hosts
    }
}

/// The identity of a domain for the detection of duplicates.
private struct DomainName: Hashable {
    let host: String
    let coversSubdomains: Bool
    let port: UInt16?

    init(_ domain: Domain, port: UInt16?) {
        host = domain.host
        coversSubdomains = domain.coversSubdomains
        self.port = port
    }
}

extension Domain {
    package static let keys = ["host", "serves", "port"]

    /// Reads a host, or `{host, serves, port}`.
    init(_ field: DocumentField) throws(DocumentError) {
        guard field.node.text == nil else {
            self = try Self.host(field, serves: .links, port: nil)
            return
        }
        let object = try field.object(Self.keys)
        let port = try object["port"]?.int(in: 1...65_535)
        self = try Self.host(
            try object.required("host"),
            serves: try object["serves"]?.choice(Serves.self) ?? .links,
            port: port.map { UInt16($0) }
        )
    }

    private static func host(_ field: DocumentField, serves: Serves, port: UInt16?) throws(DocumentError) -> Domain {
        let coversSubdomains = try field.text().hasPrefix("*.")
        let name = try hostName(field)
        guard name.ascii.contains(".") || name.ascii == "localhost" else {
            throw field.error(
                "\(field.shown) is not a domain; write a host such as links.example.com or *.example.com."
            )
        }
        return Domain(
            host: name.ascii,
            unicodeHost: name.unicode,
            coversSubdomains: coversSubdomains,
            port: port,
            serves: serves
        )
    }
}

extension Scheme {
    package static let keys = ["name", "host"]

    /// Reads a name, or `{name, host}`, where `host` is `ignore`, `segment`, or a list of hosts to ignore such as
    /// `[open, app]`.
    init(_ field: DocumentField) throws(DocumentError) {
        guard field.node.text == nil else {
            self.init(name: try Self.name(field))
            return
        }
        let object = try field.object(Self.keys)
        self.init(name: try Self.name(try object.required("name")))
        guard let host = object["host"] else { return }
        switch host.node.text {
        case "ignore": hosts = .ignored
        case "segment": hosts = .segment
        case nil: hosts = .ignoring(try texts(host))
        default: throw host.error("\(host.shown) is not valid; write ignore, segment, or a list of hosts to ignore.")
        }
    }

    private static func name(_ field: DocumentField) throws(DocumentError) -> String {
        let name = try field.text().lowercased()
        guard isSchemeName(name) else {
            throw field.error(
                "\(field.shown) is not a scheme; write 2 to 64 of a-z, 0-9, '+', '-', '.', starting with a letter."
            )
        }
        guard !DestinationPolicy.isUnownable(name) else {
            throw field.error("'\(name)' is a system scheme or a store's; write a scheme of your own, such as acme.")
        }
        return name
    }
}

extension DestinationPolicy {
    package static let keys = ["schemes", "hosts", "http"]

    /// Reads `{schemes, hosts, http}`. A missing key keeps the default: the tenant's own schemes and hosts.
    init(_ field: DocumentField, own: DestinationPolicy) throws(DocumentError) {
        let object = try field.object(Self.keys)
        var schemes = own.schemes
        if let listed = object["schemes"] {
            schemes = []
            for field in try listed.list() {
                let name = try field.text().lowercased()
                guard isSchemeName(name), !["http", "https"].contains(name) else {
                    throw field.error(
                        "\(field.shown) is not an app's scheme; list the hosts of web pages under 'hosts'."
                    )
                }
                guard !Self.forbiddenSchemes.contains(name) else {
                    throw field.error("'\(name):' is never allowed as a destination; remove it.")
                }
                schemes.insert(name)
            }
        }
        var hosts = own.hosts
        if let listed = object["hosts"] {
            hosts = []
            for field in try listed.list() {
                let host = try hostName(field)
                guard try field.text().hasPrefix("*.") else {
                    hosts.append(.exact(host))
                    continue
                }
                guard host.ascii.contains(".") else {
                    throw field.error(
                        "\(field.shown) covers domains of other owners; write your own, as in *.example.com."
                    )
                }
                hosts.append(.subdomains(of: host))
            }
        }
        self.init(schemes: schemes, hosts: hosts, allowsPlainHTTP: try object["http"]?.bool() ?? false)
    }
}

/// Parses the host of a text such as `links.example.com` or `*.example.com`, without the `*.`.
private func hostName(_ field: DocumentField) throws(DocumentError) -> HostName {
    let text = try field.text()
    do {
        return try HostName(text.hasPrefix("*.") ? text.dropFirst(2) : text[...])
    } catch {
        throw field.error("\(field.shown): \(error.message)")
    }
}

extension RegisteredApp {
    package static let keys = [
        "id", "platform", "kind", "teamID", "bundleID", "package", "fingerprints", "stores", "domains", "environments",
        "environment",
    ]
    package static let storeKeys = ["kind", "id", "providerToken"]

    private enum System: String, CaseIterable { case ios, android }

    init(_ field: DocumentField) throws(DocumentError) {
        let object = try field.object(Self.keys)
        let system = try object.required("platform").choice(System.self)
        for key in system == .ios ? ["package", "fingerprints"] : ["teamID", "bundleID"] {
            if let field = object[key] {
                throw field.error("'\(key)' does not apply to apps of the platform \(system.rawValue); remove it.")
            }
        }
        let product: Product
        switch system {
        case .ios:
            product = .ios(
                teamID: try Self.match(object.required("teamID"), "10 capital letters and digits, as in ABCDE12345") {
                    text in
                    text.utf8.count == 10
                        && text.utf8.allSatisfy { isDigit($0) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
                },
                bundleID: try Self.match(
                    object.required("bundleID"),
                    "a bundle ID, as in com.example.app",
                    isReverseDomain
                )
            )
        case .android:
            var fingerprints: [String] = []
            for field in try object["fingerprints"]?.list() ?? [] { fingerprints.append(try Self.fingerprint(field)) }
            product = .android(
                package: try Self.match(
                    object.required("package"),
                    "a package name, as in com.example.app",
                    isReverseDomain
                ),
                fingerprints: fingerprints
            )
        }
        self.init(
            id: try object.required("id").identifier(AppID.self),
            product: product,
            kind: try object["kind"]?.choice(Kind.self) ?? .app,
            environments: try Self.environments(object)
        )
        for field in try object["stores"]?.list() ?? [] { stores.append(try store(field)) }
    }

    /// Reads `environments`, or `environment`, the older name of a list of one.
    private static func environments(_ object: ObjectField) throws(DocumentError) -> Set<EnvironmentID>? {
        guard let field = object["environments"] else {
            return try object["environment"].map { field throws(DocumentError) in
                [try field.identifier(EnvironmentID.self)]
            }
        }
        if let older = object["environment"] {
            throw older.error("'environment' is the older name of 'environments'; remove it.")
        }
        var environments: Set<EnvironmentID> = []
        for element in try field.list() { environments.insert(try element.identifier(EnvironmentID.self)) }
        guard !environments.isEmpty else {
            throw field.error("an app without environments never answers; name one, or remove 'environments' for all.")
        }
        return environments
    }

    private func store(_ field: DocumentField) throws(DocumentError) -> Store {
        let object = try field.object(Self.storeKeys)
        let kind = try object.required("kind").choice(Store.Kind.self)
        switch (kind, product) {
        case (.appStore, .ios):
            let id = try Self.match(object.required("id"), "the digits of the App Store ID, as in \"123456789\"") {
                text in
                (1...20).contains(text.utf8.count) && text.utf8.allSatisfy(isDigit)
            }
            let token = try object["providerToken"].map { field throws(DocumentError) in
                try Self.match(field, "the digits of a provider token, as in \"118123456\"") { text in
                    (1...20).contains(text.utf8.count) && text.utf8.allSatisfy(isDigit)
                }
            }
            return Store(kind: kind, id: id, providerToken: token)
        case (.playStore, .android(let package, _)):
            if let token = object["providerToken"] {
                throw token.error("only the App Store has provider tokens; remove 'providerToken'.")
            }
            let id = try object["id"].map { field throws(DocumentError) in
                try Self.match(field, "a package name, as in com.example.app", isReverseDomain)
            }
            return Store(kind: kind, id: id ?? package)
        default:
            throw field.error("an iOS app must use appStore, an Android app playStore.")
        }
    }

    private static func fingerprint(_ field: DocumentField) throws(DocumentError) -> String {
        let text = try field.text()
        let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
        guard pairs.count == 32, pairs.allSatisfy({ $0.utf8.count == 2 && $0.utf8.allSatisfy { hexValue($0) != nil } })
        else {
            throw field.error(
                "\(field.shown) is not a SHA-256 fingerprint; write 32 pairs of hexadecimal digits joined by ':'."
            )
        }
        return text.uppercased()
    }

    private static func match(
        _ field: DocumentField,
        _ form: String,
        _ holds: (String) -> Bool
    ) throws(DocumentError) -> String {
        let text = try field.textOrNumber()
        guard holds(text) else { throw field.error("\(field.shown) is not \(form).") }
        return text
    }
}

private func isReverseDomain(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count >= 2 && text.utf8.count <= 255
        && parts.allSatisfy { part in
            !part.isEmpty
                && part.utf8.allSatisfy {
                    isLetter($0) || isDigit($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_")
                }
        }
}

private func isSchemeName(_ text: String) -> Bool {
    (2...64).contains(text.utf8.count) && text.utf8.first.map(isLetter) == true
        && text.utf8.allSatisfy { byte in
            isLetter(byte) || isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".")
        }
}
