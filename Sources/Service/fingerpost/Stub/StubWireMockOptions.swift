import ArgumentParser
import StubMatching

/// WireMock's options that Fingerpost names otherwise, or that have no effect here.
struct StubWireMockOptions: ParsableArguments {
    @Option(help: .hidden) var rootDir: String?
    @Flag(help: .hidden) var recordMappings = false
    @Option(help: .hidden) var matchHeaders: String?
    @Flag(help: .hidden) var noRequestJournal = false
    @Flag(help: .hidden) var localResponseTemplating = false
    @Flag(help: .hidden) var disableBanner = false
    /// The number of flags without an effect.
    @Flag(
        name: names("verbose", "print-all-network-traffic", "disable-request-logging", "trust-all-proxy-targets"),
        help: .hidden
    )
    var ignoredFlags: Int
    /// The values of options without an effect.
    @Option(
        name: names(
            "container-threads",
            "async-response-enabled",
            "async-response-threads",
            "jetty-acceptor-threads",
            "jetty-accept-queue-size",
            "jetty-header-buffer-size",
            "jetty-header-request-size",
            "jetty-header-response-size",
            "jetty-idle-timeout",
            "jetty-stop-timeout",
            "timeout",
            "logged-response-body-size-limit",
            "max-template-cache-entries",
            "use-chunked-encoding"
        ),
        help: .hidden
    )
    var ignoredValues: [String] = []
    @Option(name: names("https-keystore", "keystore-password", "keystore-type", "key-manager-password"), help: .hidden)
    var keystore: [String] = []

    func validate() throws {
        guard keystore.isEmpty else {
            throw ValidationError(
                "Keystores are not read; let clients trust the authority that 'fingerpost stub ca' prints."
            )
        }
    }

    /// The headers that a recording compares.
    var comparedHeaders: [String] {
        (matchHeaders ?? "").split(separator: ",").map(\.trimmingBlanks).filter { !$0.isEmpty }
    }

    /// Says once that options have no effect.
    func reportIgnored() {
        guard ignoredFlags > 0 || !ignoredValues.isEmpty else { return }
        warn("fingerpost: WireMock's options for its log, threads, buffers and timeouts have no effect here")
    }
}

private func names(_ names: String...) -> NameSpecification { NameSpecification(names.map { .customLong($0) }) }
