import Foundation
import LinkCatalog
import LinkRouting
import TestSupport
import Testing

/// How `fingerpost config` combines flags, environment and file; `serve` reads them in the same way.
struct ConfigurationTests {
    @Test func shippedFileHoldsTheDefaults() throws {
        let shipped = repository.appending(path: "config/fingerpost.yaml").path
        #expect(try config("--config", shipped).output == config().output)
    }

    @Test func shippedFileDocumentsEveryKey() throws {
        let text = try String(contentsOf: repository.appending(path: "config/fingerpost.yaml"), encoding: .utf8)
        let documented = text.matches(of: /# +([A-Za-z0-9.]+) \((?:string|int), optional, default: [^)]+\): [A-Z]/).map(
            \.output.1
        )
        #expect(try documented.map(String.init) == values().map(\.key))
    }

    @Test func outputIsAFileWithTheSameValues() async throws {
        let output = try config(
            "--public",
            "127.0.0.2:3",
            environment: ["FINGERPOST_NODE": "12", "FINGERPOST_TRUSTED_PROXIES": "10.0.0.0/8, ::1"]
        )
        .output
        try await withFile(output) { file in
            let again = try config("--config", file).output
            #expect(again == output)
        }
    }

    /// The rows of docs/reference.md: keys, defaults and limits.
    @Test func referencePageHasTheKeysDefaultsAndLimitsOfTheService() throws {
        let page = try String(contentsOf: repository.appending(path: "docs/reference.md"), encoding: .utf8)
        let chapter = try #require(page.firstRange(of: "## Configuration"))
        let rows = page[chapter.upperBound...].matches(
            of: /\n\| `([^`]+)` \| (string|integer) \| ([^|]*) \| ([^|]*) \|/
        )
        let effective = try values()
        #expect(rows.map { String($0.output.1) } == effective.map(\.key))
        for (row, pair) in zip(rows, effective) {
            let (_, key, type, standard, limits) = row.output
            // The defaults of these two depend on the machine.
            if !["node", "exports.directory"].contains(key) {
                #expect(standard == (pair.value.isEmpty ? "" : "`\(pair.value)`"), "\(key)")
            }
            #expect((type == "integer") == !limits.isEmpty, "\(key)")
            guard let bounds = try /([0-9]+) to ([0-9]+)/.wholeMatch(in: limits)?.output, let most = Int(bounds.2)
            else {
                continue
            }
            let name = "FINGERPOST_" + key.replacing(/[A-Z]/) { "_" + $0.output }.replacing(".", with: "_").uppercased()
            let refused = try config(environment: [name: "\(most + 1)"])
            #expect(refused.status == 78, "\(key)")
            let message = "\(name) is '\(most + 1)'; write a whole number from \(bounds.1) to \(bounds.2)."
            #expect(refused.output.contains(message), "\(key): \(refused.output)")
        }
    }

    @Test func flagsWinOverTheEnvironmentAndThatOverTheFile() async throws {
        try await withFile("public: {host: 10.0.0.1, port: 1}\nadmin: {port: 1}\nops: {port: 1}\n") { file in
            let values = try Dictionary(
                uniqueKeysWithValues: values(
                    "--config",
                    file,
                    "--public",
                    "127.0.0.2:3",
                    environment: ["FINGERPOST_PUBLIC_PORT": "2", "FINGERPOST_ADMIN_PORT": "2"]
                )
            )
            #expect(values["public.host"] == "127.0.0.2")
            #expect(values["public.port"] == "3")
            #expect(values["admin.port"] == "2")
            #expect(values["ops.port"] == "1")
        }
    }

    /// A list may be a string or a YAML list.
    @Test func listsMayBeWrittenAsLists() async throws {
        let text = """
            trustedProxies: [10.0.0.0/8, 'fd00::/8']
            rateLimits: {exempt: []}
            cors: {origins: [capacitor://localhost, 'http://[::1]:3000']}

            """
        try await withFile(text) { file in
            let values = try Dictionary(uniqueKeysWithValues: values("--config", file))
            #expect(values["trustedProxies"] == "10.0.0.0/8, fd00::/8")
            #expect(values["rateLimits.exempt"] == "")
            #expect(values["cors.origins"] == "capacitor://localhost, http://[::1]:3000")
        }
    }

    @Test func fileOfCommentsSetsNothing() async throws {
        try await withFile("# All defaults.\n\n  # public: {port: 80}\n") { file in
            let (output, standard) = (try config("--config", file).output, try config().output)
            #expect(output == standard)
        }
    }

    @Test func unknownVariableNamesTheOneThatWasMeant() throws {
        let output = try config(environment: ["FINGERPOST_PUBLIK_PORT": "80"]).output
        #expect(output.contains("unknown variable FINGERPOST_PUBLIK_PORT; did you mean FINGERPOST_PUBLIC_PORT?"))
    }

    @Test func variablesOfAKubernetesServiceAreNotOurs() throws {
        let environment = [
            "FINGERPOST_PORT": "tcp://10.0.0.1:8080", "FINGERPOST_PORT_8080_TCP_ADDR": "10.0.0.1",
            "FINGERPOST_SERVICE_HOST": "10.0.0.1",
        ]
        #expect(try config(environment: environment).status == 0)
    }

    /// A shell that is set up for the commands of the admin port can start the service and export.
    @Test func variablesOfClientCommandsAreNotOurs() throws {
        let environment = [
            "FINGERPOST_KEY": "fp_x", "FINGERPOST_SERVER": "http://127.0.0.1:1",
            "FINGERPOST_PUBLIC_SERVER": "http://127.0.0.1:1",
        ]
        #expect(try config(environment: environment).status == 0)
    }

    @Test func variableOfARemovedKeyIsExplained() throws {
        #expect(try config(environment: ["FINGERPOST_PUBLIC_LANE": "enabled"]).status == 78)
    }

    @Test(
        arguments: [
            ("public: {prot: 80}", "unknown key 'public.prot'; did you mean 'public.port'?"),
            ("public: {lane: enabled}", "'public.lane' no longer exists"),
            ("public: 80", "'public' must contain keys"),
            ("- public", "the file must contain keys"),
            ("public: {port: [80]}", "'public.port' is neither a string nor a whole number"),
            ("public: {port: 80.5}", "public.port is '80.5'"),
            ("public: {port: 65536}", "public.port is '65536'; write a whole number from 0 to 65535."),
            ("publik: {port: 80}", "unknown key 'publik'; did you mean 'public'?"),
            (
                "trustedProxies: {a: b}",
                "'trustedProxies' is neither a string nor a list of strings; write a list such as"
            ),
            ("trustedProxies: [10.0.0.0/33]", "trustedProxies contains '10.0.0.0/33'; write ADDRESS/BITS"),
            ("settings: {domains: []}", "'settings' belongs in a tenant file or a suite, not in the configuration."),
            ("data: ~/fingerpost", "data is '~/fingerpost'; only a shell replaces '~', so write the whole path."),
            ("exports: {directory: ~/exports}", "exports.directory is '~/exports'; only a shell replaces '~'"),
            ("limits: {bodyBytes: 12}", "limits.bodyBytes is '12'"),
            ("log: {level: loud}", "log.level is 'loud'"),
            ("trustedProxies: 10.0.0.0/8, 10.0.0.0/33", "trustedProxies contains '10.0.0.0/33'; write"),
            ("proxies: {header: x-real-ip}", "proxies.header is 'x-real-ip'; write one of x-forwarded-for, forwarded."),
            ("proxies: {protocol: v1}", "proxies.protocol is 'v1'"),
            ("rateLimits: {address: {perSecond: -1}}", "rateLimits.address.perSecond is '-1'"),
            ("rateLimits: {exempt: localhost}", "rateLimits.exempt contains 'localhost'; write"),
            ("cors: {origins: https://acme.test/}", "cors.origins contains 'https://acme.test/'; write an origin as"),
            ("cors: {origins: ['https://a.test', 'https://b.test:443']}", "cors.origins contains 'https://b.test:443'"),
            ("cors: {origins: '*'}", "cors.origins contains '*'"),
            ("exports: {directory: ''}", "exports.directory is empty; write the path of a directory."),
            (
                "exports: {webhook: {url: 'https://user:hush@acme.test/a'}}",
                "exports.webhook.url is 'https://…@acme.test/a'; remove the user and the password: each request is"
            ),
            (
                "exports: {webhook: {url: 'user:hu/sh@acme.test'}}",
                "exports.webhook.url is '…@acme.test'; write https://HOST/PATH"
            ),
            (
                "exports: {sink: s3, s3: {endpoint: 'https://user:hush@acme.test'}}",
                "exports.s3.endpoint is 'https://…@acme.test'; write https://HOST"
            ),
            ("node: \(String(repeating: "n", count: 256))", "node has 256 bytes; write a name of at most 255."),
            (
                "public: {host: '127.0.0.1:9000'}",
                "public.host is '127.0.0.1:9000', which contains a port; write the port as public.port."
            ),
            ("admin: {host: 'http://127.0.0.1'}", "admin.host is 'http://127.0.0.1'; write an address such as"),
            ("public: 127.0.0.1:9000", "'public' must contain keys; write public.host and public.port."),
            ("port: 9000", "unknown key 'port'; did you mean 'public.port'?"),
            ("exports: {webhook: {secret: hush}}", "secrets are not in this file: use exports.webhook.secretFile or"),
            ("exports: {s3: {accessKeyId: hush}}", "secrets are not in this file: use exports.webhook.secretFile or"),
            ("admin: {port: 8080}", "admin.port and public.port are both 127.0.0.1:8080; choose another port"),
            (
                "tables: {signingKey: nofile.jwk}",
                "tables.signingKey is 'nofile.jwk', which does not exist; 'fingerpost table keys create nofile.jwk' creates"
            ),
            ("tables: {agent: /run/agent.sock}", "tables.agent needs tables.agentKey, the public key of its"),
            ("public: {tls: {key: a.pem}}", "public.tls.key is set and public.tls.certificate is not; write both, or"),
            ("public: {tls: {minimumVersion: '1.0'}}", "public.tls.minimumVersion is '1.0'; write 1.2 or 1.3."),
            ("public: [", "This is not YAML"),
            ("data: a\ndata: b", "Duplicate key 'data'"),
        ]
    )
    func wrongFileIsOneLineAndExitSeventyEight(_ text: String, _ message: String) async throws {
        try await withFile(text) { file in
            let (status, output) = try config("--config", file)
            #expect(status == 78)
            #expect(output.contains(message), "\(output)")
            #expect(!output.contains("user:hu"), "A password is shown: \(output)")
            // What is wrong with a value begins with its key, and has its line.
            let isAboutValue = message.starts(with: #/[a-z][A-Za-z0-9.]* (?:is|has|contains|needs|and) /#)
            #expect(!isAboutValue || output.contains("\(file), line 1: \(message)"), "\(output)")
            #expect(output.split(separator: "\n").count == 1, "\(output)")
        }
    }

    @Test(
        arguments: [
            ["--config", "/nonexistent/fingerpost.yaml"], ["--public", "8080"], ["--public", "127.0.0.1:x"],
            ["--data", ""], ["--public", "http://127.0.0.1:8080"], ["--public", "::1:1", "--admin", "::1:1"],
        ]
    )
    func wrongFlagIsOneLineAndExitSeventyEight(_ flags: [String]) throws {
        let (status, output) = try config(flags)
        #expect(status == 78)
        #expect(output.split(separator: "\n").count == 1, "\(output)")
    }

    @Test(
        arguments: [
            ("FINGERPOST_PUBLIC_PROT", "80"), ("FINGERPOST_PUBLIC_PORT", "http"), ("FINGERPOST_PORT", "9000"),
        ]
    )
    func wrongVariableIsOneLineAndExitSeventyEight(_ name: String, _ value: String) throws {
        let (status, output) = try config(environment: [name: value])
        #expect(status == 78 && output.contains(name), "\(output)")
        #expect(output.split(separator: "\n").count == 1, "\(output)")
    }

    // MARK: Running the command

    private let repository = Repository.folder

    private func config(
        _ flags: String...,
        environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        try config(flags, environment: environment)
    }

    /// The keys with their groups, such as `public.port`, and their values.
    private func values(
        _ flags: String...,
        environment: [String: String] = [:]
    ) throws -> [(key: String, value: String)] {
        func values(_ node: JSONNode, in group: String) -> [(key: String, value: String)] {
            (node.members ?? []).flatMap { member in
                guard case .object = member.value.value else {
                    return [(group + member.key, member.value.text ?? member.value.json())]
                }
                return values(member.value, in: group + member.key + ".")
            }
        }
        return values(try Document.readYAML(config(flags, environment: environment).output), in: "")
    }

    /// Standard output and standard error together.
    private func config(
        _ flags: [String],
        environment: [String: String] = [:]
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        process.executableURL = RunningServer.products.appending(path: "fingerpost")
        process.arguments = ["config"] + flags
        process.environment = environment
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    private func withFile(_ text: String, _ body: (String) async throws -> Void) async throws {
        try await withTemporaryDirectory { directory in
            let file = directory + "/fingerpost.yaml"
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            try await body(file)
        }
    }
}
