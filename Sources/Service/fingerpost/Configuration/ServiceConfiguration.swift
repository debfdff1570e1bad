import ArgumentParser
import Configuration
import Console
import Foundation
import HTTPTransport
import LinkCatalog
import LinkRouting
import LinkServer

/// All keys of config/fingerpost.yaml, read once. Flags override the environment, which overrides the file.
struct ServiceConfiguration {
    var data: String
    var store: StoreConfiguration
    var publicAddress: ListenAddress
    var adminAddress: ListenAddress
    var opsAddress: ListenAddress
    var tls: TLSSettings
    /// The name of this server in events.
    var node: String
    /// Whether resolutions are recorded in the log.
    var isRecording: Bool
    var log: LogConfiguration
    var exports: ExportConfiguration
    var tables: TableSettings
    /// Where people reach the console; nil if only on this machine.
    var console: ConsoleAddress?
    /// The path of an MMDB file with countries.
    var geoDatabase: String?
    var limits: ServerLimits
    var admission: AdmissionConfiguration
    /// The free disk space below which `/readyz` reports `degraded`, in bytes.
    var minimumFreeBytes: Int
    /// The number of seconds in which requests are still accepted after a shutdown has begun.
    var drainSeconds: Int
    /// The number of seconds that open requests may take after that.
    var graceSeconds: Int

    /// A configuration error, as a one-line message.
    struct Invalid: Error {
        let message: String
        /// The key whose value is wrong, if the message begins with it.
        private(set) var key: String?

        init(message: String) { self.message = message }

        /// - Parameter problem: What is wrong with the value, and what to write.
        init(_ key: String, _ problem: String) {
            message = "\(key) \(problem)"
            self.key = key
        }

        /// Names the place of the value: its variable, or its line in the file.
        fileprivate func located(
            _ flags: [String: String],
            _ environment: [String: String],
            _ file: ConfigurationFile?
        ) -> Self {
            guard let key, flags[key] == nil else { return self }
            let variable = ServiceConfiguration.variable(key)
            if environment[variable] != nil { return Invalid(message: variable + message.dropFirst(key.count)) }
            guard let file, let line = file.lines[key] else { return self }
            return Invalid(message: "\(file.path), line \(line): \(message)")
        }
    }

    /// In the order of config/fingerpost.yaml.
    static let keys =
        [
            "data"
        ] + StoreConfiguration.keys + ["public.host", "public.port"] + TLSSettings.keys + [
            "admin.host", "admin.port", "console.url", "ops.host", "ops.port", "ops.minimumFreeBytes", "node",
            "recording",
        ] + LogConfiguration.keys + ExportConfiguration.keys + TableSettings.keys + [
            "geo.database"
        ] + limitKeys.map(\.name) + AdmissionConfiguration.keys + ["shutdown.drainSeconds", "shutdown.graceSeconds"]

    /// All keys, and the groups that contain them, such as `public` and `public.tls`.
    static let keysAndGroups = Set(
        keys.flatMap { key in
            let words = key.split(separator: ".")
            return words.indices.map { words[...$0].joined(separator: ".") }
        }
    ).sorted()

    /// The keys that are lists. In a file they may be a string with commas or a YAML list.
    static let listKeys: Set = [
        "store.hosts", "trustedProxies", "rateLimits.exempt", "exports.webhook.allowPrivate", "cors.origins",
    ]

    /// Former keys, and what replaces each.
    static let removedKeys = [
        "public.lane": "every request of the public port takes the same path now; remove the setting"
    ]

    /// A key for a number in `ServerLimits`, with its bounds.
    private struct LimitKey: Sendable {
        let name: String
        let path: any WritableKeyPath<ServerLimits, Int> & Sendable
        let range: ClosedRange<Int>

        init(_ name: String, _ path: any WritableKeyPath<ServerLimits, Int> & Sendable, _ range: ClosedRange<Int>) {
            self.name = "limits." + name
            self.path = path
            self.range = range
        }
    }

    private static let limitKeys = [
        LimitKey("uriBytes", \.uriBytes, 256...65_536),
        LimitKey("headerBytes", \.headerBytes, 1_024...262_144),
        LimitKey("headerFields", \.headerFields, 16...1_000),
        LimitKey("bodyBytes", \.bodyBytes, 1_024...1_048_576),
        LimitKey("batchBytes", \.batchBytes, 1_024...16_777_216),
        LimitKey("jsonDepth", \.jsonDepth, 8...128),
        LimitKey("tableBytes", \.tableBytes, 1_024...268_435_456),
        LimitKey("tableRoutes", \.tableRoutes, 1...RouteTable.maximumRoutes),
        LimitKey("drafts", \.drafts, 1...10_000),
        LimitKey("dayBytes", \.dayBytes, 0...(1 << 50)),
        LimitKey("headSeconds", \.headSeconds, 1...3_600),
        LimitKey("bodySeconds", \.bodySeconds, 1...3_600),
        LimitKey("tableSeconds", \.tableSeconds, 1...3_600),
        LimitKey("idleSeconds", \.idleSeconds, 1...86_400),
        LimitKey("stalledSeconds", \.stalledSeconds, 1...3_600),
        LimitKey("tailSeconds", \.tailSeconds, 1...86_400),
        LimitKey("unsentBytes", \.unsentBytes, 1_048_576...17_179_869_184),
        LimitKey("connections", \.connections, 10...1_000_000),
    ]

    /// Reads flags (by key), the environment (`FINGERPOST_PUBLIC_PORT`) and, if given, a file. Throws ``Invalid``.
    static func read(flags: [String: String], file: String?, environment: [String: String]) async throws -> Self {
        try refuseUnknownEnvironment(environment)
        let flagValues = Dictionary(
            uniqueKeysWithValues: flags.map {
                (AbsoluteConfigKey(ConfigKey($0.key)), ConfigValue(.string($0.value), isSecret: false))
            }
        )
        var providers: [any ConfigProvider] = [
            InMemoryProvider(name: "flags", values: flagValues),
            EnvironmentVariablesProvider(environmentVariables: environment).prefixKeys(with: "fingerpost"),
        ]
        var configurationFile: ConfigurationFile?
        if let file, let read = try await ConfigurationFile(file) {
            providers.append(read.provider)
            configurationFile = read
        }
        do {
            return try Self(ConfigReader(providers: providers), environment)
        } catch let error as Invalid {
            throw error.located(flags, environment, configurationFile)
        }
    }

    private init(_ reader: ConfigReader, _ environment: [String: String]) throws {
        func text(_ key: String, _ standard: String) -> String {
            reader.string(forKey: ConfigKey(key)) ?? reader.int(forKey: ConfigKey(key)).map { "\($0)" }
                ?? (Self.listKeys.contains(key) ? reader.stringArray(forKey: ConfigKey(key)) : nil)?.joined(
                    separator: ", "
                )
                ?? standard
        }
        func number(_ key: String, _ standard: Int, in range: ClosedRange<Int>) throws -> Int {
            let written = text(key, "\(standard)")
            guard let number = Int(written), range.contains(number) else {
                throw Invalid(
                    key,
                    "is '\(written)'; write a whole number from \(range.lowerBound) to \(range.upperBound)."
                )
            }
            return number
        }
        func address(_ name: String, port: Int) throws -> ListenAddress {
            let host = text("\(name).host", "127.0.0.1")
            guard !host.isEmpty else {
                throw Invalid("\(name).host", "is empty; write an address such as 127.0.0.1.")
            }
            guard !host.contains("://") else {
                throw Invalid("\(name).host", "is '\(host)'; write an address such as 127.0.0.1, without http://.")
            }
            // An IPv6 address has several colons.
            guard host.count(where: { $0 == ":" }) != 1 else {
                throw Invalid("\(name).host", "is '\(host)', which contains a port; write the port as \(name).port.")
            }
            return ListenAddress(host: host, port: try number("\(name).port", port, in: 0...65_535))
        }
        func isEnabled(_ key: String) throws -> Bool {
            let written = text(key, "enabled")
            guard ["enabled", "disabled"].contains(written) else {
                throw Invalid(key, "is '\(written)'; write enabled or disabled.")
            }
            return written == "enabled"
        }
        data = text("data", "data")
        guard !data.isEmpty else { throw Invalid("data", "is empty; write the path of a directory.") }
        for key in ["data", "exports.directory"] where text(key, "").hasPrefix("~") {
            throw Invalid(key, "is '\(text(key, ""))'; only a shell replaces '~', so write the whole path.")
        }
        store = try StoreConfiguration(text: text)
        publicAddress = try address("public", port: 8080)
        adminAddress = try address("admin", port: 8081)
        opsAddress = try address("ops", port: 8082)
        try Self.requireDistinct([("public", publicAddress), ("admin", adminAddress), ("ops", opsAddress)])
        let url = text("console.url", "")
        console = ConsoleAddress(url)
        guard url.isEmpty || console != nil else {
            throw Invalid(
                "console.url",
                "is '\(url)'; write an https address without a path, such as https://links.example.com."
            )
        }
        tls = try TLSSettings(text: text)
        node = text("node", ProcessInfo.processInfo.hostName)
        guard node.utf8.count <= 255 else {
            throw Invalid("node", "has \(node.utf8.count) bytes; write a name of at most 255.")
        }
        isRecording = try isEnabled("recording")
        log = try LogConfiguration(text: text)
        exports = try ExportConfiguration(data: data, environment: environment, text: text) {
            try number($0, $1, in: $2)
        }
        tables = try TableSettings(text: text)
        let geoDatabase = text("geo.database", "")
        self.geoDatabase = geoDatabase.isEmpty ? nil : geoDatabase
        limits = ServerLimits()
        for key in Self.limitKeys {
            limits[keyPath: key.path] = try number(key.name, limits[keyPath: key.path], in: key.range)
        }
        admission = try AdmissionConfiguration(text: text) { try number($0, $1, in: $2) }
        minimumFreeBytes = try number("ops.minimumFreeBytes", 16 << 20, in: 0...(1 << 50))
        drainSeconds = try number("shutdown.drainSeconds", 0, in: 0...600)
        graceSeconds = try number("shutdown.graceSeconds", 60, in: 1...3_600)
    }

    /// The values as `fingerpost config` prints them.
    var effective: [(key: String, value: String)] {
        let values =
            [
                data
            ] + store.effective + [publicAddress.host, "\(publicAddress.port)"] + tls.effective + [
                adminAddress.host, "\(adminAddress.port)", console?.text ?? "", opsAddress.host, "\(opsAddress.port)",
                "\(minimumFreeBytes)", node, isRecording ? "enabled" : "disabled",
            ] + log.effective + exports.effective.map(\.value) + tables.effective + [
                geoDatabase ?? ""
            ] + Self.limitKeys.map { "\(limits[keyPath: $0.path])" } + admission.effective
            + ["\(drainSeconds)", "\(graceSeconds)"]
        return Array(zip(Self.keys, values))
    }

    /// Variables read by client commands. A shell that has them may also start the server.
    private static let clientVariables = ClientVariable.allCases.map(\.rawValue)
    /// Variables that are never printed, and therefore have no key.
    private static let secretVariables = [ExportConfiguration.secretVariable]

    private static func refuseUnknownEnvironment(_ environment: [String: String]) throws {
        let known = Set(keys.map(variable) + clientVariables + secretVariables)
        for (name, value) in environment.sorted(by: { $0.key < $1.key })
        where name.hasPrefix("FINGERPOST_") && !known.contains(name) && !isKubernetesOwn(name, value) {
            if let removed = removedKeys.first(where: { variable($0.key) == name }) {
                throw Invalid(message: "\(name) no longer exists: \(removed.value).")
            }
            let near = name.nearest(among: known.sorted()).map { "did you mean \($0)?" }
            let advice = near ?? "config/fingerpost.yaml lists the keys (public.port is FINGERPOST_PUBLIC_PORT)."
            throw Invalid(message: "unknown variable \(name); \(advice)")
        }
    }

    /// Kubernetes sets such variables in every pod if there is a service named fingerpost.
    private static func isKubernetesOwn(_ name: String, _ value: String) -> Bool {
        name == "FINGERPOST_PORT" && value.hasPrefix("tcp://") || name.hasPrefix("FINGERPOST_PORT_")
            || name.hasPrefix("FINGERPOST_SERVICE_")
    }

    /// Converts a key to its variable: `limits.bodyBytes` → `FINGERPOST_LIMITS_BODY_BYTES`.
    static func variable(_ key: String) -> String {
        let words = key.reduce(into: "") { text, character in
            if character.isUppercase { text += "_" }
            text += character == "." ? "_" : character.uppercased()
        }
        return "FINGERPOST_" + words
    }
}

/// The flags that `serve` and `config` share.
struct ConfigurationFlags: ParsableArguments {
    @OptionGroup var file: FileFlags
    @OptionGroup var addresses: AddressFlags

    /// Reads the configuration. Throws ``ServiceConfiguration/Invalid``.
    func configuration() async throws -> ServiceConfiguration {
        try await file.configuration(addresses)
    }

    /// Reads the configuration. Exits with code 78 if it is invalid.
    func read() async throws -> ServiceConfiguration { try await file.read(addresses) }
}

/// The flags for the addresses of the ports.
struct AddressFlags: ParsableArguments {
    @ArgumentParser.Option(help: "HOST:PORT for resolve, association files and clicks; port 0 picks a free port.")
    var `public`: String?
    @ArgumentParser.Option(help: "HOST:PORT for the admin API.") var admin: String?
    @ArgumentParser.Option(help: "HOST:PORT for health checks and metrics.") var ops: String?

    /// The keys and values of the flags that were given.
    fileprivate func values() throws -> [String: String] {
        var flags: [String: String] = [:]
        for (name, address) in [("public", self.public), ("admin", admin), ("ops", ops)] {
            guard let address else { continue }
            guard !address.contains("://") else {
                throw ServiceConfiguration.Invalid(
                    message: "--\(name) is '\(address)'; write HOST:PORT without http://."
                )
            }
            guard let colon = address.lastIndex(of: ":") else {
                throw ServiceConfiguration.Invalid(message: "--\(name) is '\(address)'; write HOST:PORT.")
            }
            flags["\(name).host"] = String(address[..<colon])
            flags["\(name).port"] = String(address[address.index(after: colon)...])
        }
        return flags
    }
}

/// The flags for the file and the data directory.
struct FileFlags: ParsableArguments {
    @ArgumentParser.Option(help: "A YAML file; config/fingerpost.yaml documents every key.") var config: String?
    @ArgumentParser.Option(help: "The data directory.") var data: String?

    fileprivate func configuration(_ addresses: AddressFlags) async throws -> ServiceConfiguration {
        var flags = try addresses.values()
        if let data { flags["data"] = data }
        return try await .read(flags: flags, file: config, environment: ProcessInfo.processInfo.environment)
    }

    /// Reads the configuration. Exits with code 78 if it is invalid.
    func read(_ addresses: AddressFlags) async throws -> ServiceConfiguration {
        do {
            return try await configuration(addresses)
        } catch let error as ServiceConfiguration.Invalid {
            throw fail(error.message, .wrongConfiguration)
        }
    }
}
