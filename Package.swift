// swift-tools-version: 6.2
import PackageDescription

/// Engine: what apps and the server share. No input or output, except LinkClient's downloads and reports.
let engine: [Target] = [
    .target(name: "LinkRouting"),
    .target(name: "AppAssociation", dependencies: ["LinkRouting"]),
    .target(name: "LinkTable", dependencies: ["LinkRouting", "Crypto"]),
    .target(name: "LinkClient", dependencies: ["LinkRouting", "LinkTable"]),
    .target(name: "ScreenCode", dependencies: ["LinkRouting"]),
    // The engine as a C library; fingerpost_engine.h declares its functions.
    .target(name: "FingerpostEngine", dependencies: ["LinkRouting"], exclude: ["fingerpost_engine.h"]),
    .testTarget(name: "LinkRoutingTests", dependencies: ["LinkRouting", "TestSupport"]),
    .testTarget(name: "LinkTableTests", dependencies: ["LinkRouting", "LinkTable", "TestSupport", "Crypto"]),
    .testTarget("LinkClientTests", ["ClientComparison", "LinkClient", "LinkRouting", "LinkTable", "TestSupport"]),
    .testTarget("AppAssociationTests", ["AppAssociation", "LinkCatalog", "LinkRouting", "TestSupport"]),
    .testTarget(
        name: "ScreenCodeTests",
        dependencies: ["Examples", "LinkCatalog", "LinkRouting", "ScreenCode", "TestSupport"],
        exclude: ["Expected"]
    ),
]

/// The service: SQLite, HTTP, and everything that an app does without.
let service: [Target] = [
    .systemLibrary(name: "CMaxMindDB", pkgConfig: "libmaxminddb", providers: [.apt(["libmaxminddb-dev"])]),
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
    // glibc's heap functions (such as mallinfo2 and mallopt), which the Swift module Glibc does not export.
    .systemLibrary(name: "CMalloc"),
    .systemLibrary(name: "CQREncode", pkgConfig: "libqrencode", providers: [.apt(["libqrencode-dev"])]),
    .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
    // The commit, because a Swift setting cannot hold a text.
    .target(
        name: "CBuildInfo",
        cSettings: [.define("BUILD_COMMIT", to: Context.environment["BUILD_COMMIT"] ?? "")]
    ),
    // Network addresses and their countries, trace contexts, outgoing requests, and gzip as a stream.
    .target("Networking", ["CMaxMindDB", "CZlib", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL"]),
    // Connections of HTTP/1 and HTTP/2 without any endpoint: parsing, limits, TLS, PROXY, writing, problems.
    .target(
        name: "HTTPTransport",
        dependencies: [
            "LinkRouting", "Networking", "CoreMetrics", "Crypto", "HTTPTypes", "Logging", "Metrics", "NIOCore",
            "NIOHTTP1", "NIOHTTP2", "NIOHTTPTypes", "NIOHTTPTypesHTTP1", "NIOSSL", "NIOTLS", "ServiceLifecycle",
        ]
    ),
    .target(
        name: "LinkCatalog",
        dependencies: ["AppAssociation", "LinkRouting", "Crypto", "Yams"],
        resources: embedded([
            "Schemas/tenant.yaml", "Schemas/settings.yaml", "Schemas/table.yaml", "Schemas/suite.yaml",
        ])
    ),
    .target("LinkEvents", ["LinkRouting", "Networking", "Crypto", "Logging", "Metrics", "ServiceLifecycle"]),
    .target(
        name: "Migrations",
        path: "migrations",
        resources: embedded([
            "m0001_catalog.sql", "m0001_events.sql", "m0001_ledger.sql", "m0001_links.sql",
            "postgresql/m0001_postgresql.sql",
        ])
    ),
    // GRDBSQLite is SQLite's C interface, for the one statement that runs for each event.
    .target("LinkStorage", ["LinkCatalog", "LinkEvents", "LinkRouting", "Migrations", "Crypto", "GRDB", "GRDBSQLite"]),
    // The catalog and the copies of logs in PostgreSQL: connections through libpq, transactions, and the schema.
    .target(
        name: "PostgresStorage",
        dependencies: [
            "CPostgres", "LinkCatalog", "LinkEvents", "LinkRouting", "LinkStorage", "Migrations", "Crypto",
        ]
    ),
    // What goes over the wire, the resolver, and the endpoints of the three ports.
    .target(
        name: "LinkServer",
        dependencies: [
            "AppAssociation", "CMalloc", "CQREncode", "CZlib", "HTTPTransport", "LinkCatalog", "LinkEvents",
            "LinkRouting", "LinkTable", "Networking", "Atomics", "CoreMetrics", "Crypto", "HTTPTypes", "Hummingbird",
            "HummingbirdCore", "Logging", "Metrics", "NIOCore", "NIOExtras", "NIOHTTP1", "NIOHTTP2", "NIOHTTPTypes",
            "NIOHTTPTypesHTTP2", "NIOPosix", "NIOSSL", "ServiceLifecycle",
        ],
        resources: embedded(
            [
                "problems", "public", "admin", "tenants", "drafts", "revisions", "keys", "association",
                "exports", "log", "schemas", "analytics", "events", "short-links",
            ].map { "OpenAPI/\($0).yaml" } + ["Pages/texts.yaml"]
        )
    ),
    // The pages of the admin port.
    .target(
        name: "Console",
        dependencies: [
            "HTTPTransport", "LinkCatalog", "LinkRouting", "LinkServer", "Crypto", "HTTPTypes", "Hummingbird",
            "Mustache", "NIOCore",
        ],
        resources: embedded(["Templates", "console.css", "console.js"])
    ),
    .target(
        name: "Examples",
        path: "config",
        exclude: ["examples/app", "examples/jni", "examples/testkit", "examples/typescript"],
        resources: embedded(
            ["sample", "blogs", "taxi", "shop", "magazine"].flatMap {
                ["examples/\($0).yaml", "examples/\($0).suite.yaml"]
            } + ["fingerpost.yaml"]
        )
    ),
    .executableTarget(
        name: "fingerpost",
        dependencies: [
            "AppAssociation", "CBuildInfo", "CMalloc", "Conformance", "Console", "Examples", "HTTPTransport",
            "LinkCatalog",
            "LinkEvents", "LinkRouting", "LinkServer", "LinkStorage", "LinkTable", "Networking", "PostgresStorage",
            "ScreenCode", "StubLinks", "StubMatching", "StubServer", "TestKit", "ArgumentParser", "Configuration",
            "Crypto", "Hummingbird", "Logging", "Metrics", "NIOCore", "ServiceLifecycle", "SystemPackage",
            "UnixSignals",
        ]
    ),
    .testTarget(name: "NetworkingTests", dependencies: ["Networking"]),
    .testTarget(
        name: "HTTPTransportTests",
        dependencies: [
            "HTTPTransport", "LinkRouting", "Networking", "TestSupport", "TLSTestSupport", "CoreMetrics", "HTTPTypes",
            "Logging", "MetricsTestKit", "NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOHTTP2", "NIOHTTPTypes",
        ]
    ),
    .testTarget(
        name: "LinkCatalogTests",
        dependencies: [
            "EditingHistories", "HTTPTransport", "LinkCatalog", "LinkRouting", "LinkServer", "LinkStorage",
            "TestSupport",
        ]
    ),
    .testTarget(
        name: "LinkEventsTests",
        dependencies: [
            "LinkEvents", "LinkRouting", "Networking", "TestSupport", "Crypto", "Logging", "ServiceLifecycleTestKit",
        ]
    ),
    .testTarget(
        name: "LinkStorageTests",
        dependencies: [
            "CatalogSupport", "LinkCatalog", "LinkEvents", "LinkRouting", "LinkStorage", "Migrations", "Networking",
            "PostgresStorage", "TestSupport", "Crypto", "GRDB", "Logging", "NIOCore",
        ]
    ),
    .testTarget(
        name: "PostgresStorageTests",
        dependencies: [
            "CatalogSupport", "LinkCatalog", "LinkEvents", "LinkRouting", "LinkStorage", "Migrations",
            "PostgresStorage", "TestSupport",
        ]
    ),
    .testTarget(
        name: "LinkServerTests",
        dependencies: [
            "Console", "Examples", "HTTPTransport", "LinkCatalog", "LinkEvents", "LinkRouting", "LinkServer",
            "LinkStorage",
            "LinkTable", "Networking", "TestSupport", "TLSTestSupport", "AsyncHTTPClient", "CoreMetrics", "Crypto",
            // Fills the tables of a tenant up to their quotas.
            "GRDB",
            "HTTPTypes", "Hummingbird", "Logging", "MetricsTestKit", "NIOCore", "NIOEmbedded", "NIOHPACK", "NIOHTTP1",
            "NIOHTTP2", "NIOPosix", "NIOSSL", "X509",
        ]
    ),
    .testTarget(
        name: "FingerpostTests",
        dependencies: ["fingerpost", "HTTPTransport", "LinkCatalog", "LinkRouting", "LinkServer", "TestSupport"]
    ),
    .testTarget(
        name: "EndToEndTests",
        dependencies: [
            "fingerpost", "LinkCatalog", "LinkClient", "LinkEvents", "LinkRouting", "LinkTable", "Networking",
            "ReportingApp", "TestSupport", "Crypto",
            // Damages the files of a stopped service, as a disk failure or an older version would.
            "GRDB",
            "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "X509",
        ],
        exclude: ["Transcripts"]
    ),
]

/// Test tools for apps. The service works without them.
let testTools: [Target] = [
    // The pure parts of the stub server: requests, mappings, regular expressions, JSONPath and templates, without I/O.
    .target(name: "StubMatching", dependencies: ["LinkRouting"]),
    .target(
        name: "StubServer",
        dependencies: [
            "LinkRouting", "Networking", "StubMatching", "AsyncHTTPClient", "Crypto", "NIOCore", "NIOHTTP1", "NIOPosix",
            "NIOSSL", "X509",
        ]
    ),
    // The endpoints of links in the stub server: those of the service, for tenant files and without its storage.
    .target(
        name: "StubLinks",
        dependencies: [
            "HTTPTransport", "LinkCatalog", "LinkEvents", "LinkRouting", "LinkServer", "LinkTable", "Networking",
            "StubMatching", "StubServer", "HTTPTypes", "Logging", "NIOCore",
        ]
    ),
    // Sources of UI tests, fixtures and LinkProbe from suites and stub folders, and the check of an app's project.
    .target(
        name: "TestKit",
        dependencies: ["AppAssociation", "LinkCatalog", "LinkRouting"],
        resources: embedded([
            "Templates/LinkProbe.swift.txt", "Templates/LinkProbe.kt.txt", "Templates/LinkProbeNoOp.kt.txt",
            "Templates/XCUITestSupport.swift.txt", "Templates/XCUITestAssociation.swift.txt",
            "Templates/AndroidSupport.kt.txt", "Templates/AndroidAssociation.kt.txt",
        ])
    ),
    // Test cases for engines in other languages, with the expected answers.
    .target(
        name: "Conformance",
        dependencies: ["Examples", "LinkCatalog", "LinkRouting"],
        resources: embedded(["cases.yaml", "routing-conformance.md"])
    ),
    .testTarget(name: "StubMatchingTests", dependencies: ["LinkRouting", "StubMatching", "TestSupport"]),
    .testTarget(
        name: "StubServerTests",
        dependencies: [
            "LinkRouting", "Networking", "StubMatching", "StubServer", "TestSupport", "AsyncHTTPClient", "NIOCore",
            "NIOHTTP1", "NIOSSL",
        ],
        exclude: ["differences.txt"]
    ),
    .testTarget(
        name: "StubLinksTests",
        dependencies: [
            "Examples", "HTTPTransport", "LinkCatalog", "LinkEvents", "LinkRouting", "LinkServer", "LinkStorage",
            "LinkTable", "StubLinks", "StubMatching", "StubServer", "TestSupport", "AsyncHTTPClient", "Logging",
            "NIOCore", "NIOHTTP1",
        ]
    ),
    .testTarget("TestKitTests", ["AppAssociation", "LinkCatalog", "LinkRouting", "TestKit", "TestSupport", "Yams"]),
    .testTarget(name: "ConformanceTests", dependencies: ["Conformance", "LinkCatalog", "LinkRouting"]),
]

/// Tests, and programs that only ./dev builds.
let testPrograms: [Target] = [
    .target(name: "TestSupport", dependencies: ["LinkRouting"]),
    // Databases in the PostgreSQL server that Tests/PostgresStorage/run.sh starts.
    .target(name: "CatalogSupport", dependencies: ["PostgresStorage"]),
    // A private certificate authority for the tests of TLS.
    .target("TLSTestSupport", ["HTTPTransport", "LinkRouting", "CoreMetrics", "Crypto", "Logging", "NIOSSL", "X509"]),
    // Compares random editing histories with a model: 200 in the tests, 2,000 in ./dev check, 100,000 with --full.
    .target("EditingHistories", ["CatalogSupport", "LinkCatalog", "LinkRouting", "LinkStorage", "PostgresStorage"]),
    .executableTarget(name: "Histories", dependencies: ["EditingHistories"], exclude: ["run.sh"]),
    // Compares random answers of apps with those of the server: 4,000 in the tests, 200,000 with --full.
    .target("ClientComparison", ["LinkCatalog", "LinkClient", "LinkRouting", "LinkTable", "TestSupport"]),
    .executableTarget(name: "ClientAnswers", dependencies: ["ClientComparison"], exclude: ["run.sh"]),
    // An app with a LinkClient, which a test of the whole service kills.
    .executableTarget(name: "ReportingApp", dependencies: ["LinkClient"]),
]

let benchmarks: [Target] = [
    .executableTarget(
        name: "Yardsticks",
        dependencies: [
            "ArgumentParser", "GRDBSQLite", "Hummingbird", "Logging", "NIOCore", "NIOHTTP1", "NIOPosix",
        ]
    ),
    .executableTarget(
        name: "RoutingBench",
        dependencies: ["CMalloc", "LinkCatalog", "LinkEvents", "LinkRouting", "LinkServer", "ArgumentParser"]
    ),
    .executableTarget("LogBench", ["LinkEvents", "LinkRouting", "LinkStorage", "ArgumentParser", "Logging"]),
    .executableTarget(name: "ClientBench", dependencies: ["LinkClient", "LinkRouting", "LinkTable", "ArgumentParser"]),
]

// MARK: Other packages

/// Packages with their versions, and the products that targets name. An app without the trait Service fetches only
/// swift-crypto, and what that needs.
let packages: [(repository: String, from: Version, products: [String])] = [
    // SHA-256, HMAC and AES-GCM for keys, manifests and sealed continuations.
    ("apple/swift-crypto", "4.5.0", ["Crypto"]),
    // HTTP server on SwiftNIO with structured concurrency. Also brings NIO.
    ("hummingbird-project/hummingbird", "2.28.0", ["Hummingbird", "HummingbirdCore"]),
    // The templates of the console's pages.
    ("hummingbird-project/swift-mustache", "2.1.1", ["Mustache"]),
    // SQLite connections, transactions and row decoding. The SQL is our own.
    ("groue/GRDB.swift", "7.10.0", ["GRDB", "GRDBSQLite"]),
    ("apple/swift-argument-parser", "1.8.0", ["ArgumentParser"]),
    // Reads flags, environment variables and a YAML file, in that order.
    ("apple/swift-configuration", "1.4.0", ["Configuration"]),
    // YAML with source positions, so that an error in a table names its line.
    ("jpsim/Yams", "6.2.0", ["Yams"]),
    ("swift-server/swift-service-lifecycle", "2.13.0", ["ServiceLifecycle", "ServiceLifecycleTestKit", "UnixSignals"]),
    ("apple/swift-log", "1.16.0", ["Logging"]),
    ("apple/swift-metrics", "2.13.0", ["CoreMetrics", "Metrics", "MetricsTestKit"]),
    // Atomic reference to the current catalog. The standard library's Atomic does not accept classes.
    ("apple/swift-atomics", "1.3.0", ["Atomics"]),
    ("apple/swift-nio", "2.101.0", ["NIOCore", "NIOEmbedded", "NIOHTTP1", "NIOPosix", "NIOTLS"]),
    ("apple/swift-nio-extras", "1.35.0", ["NIOExtras", "NIOHTTPTypes", "NIOHTTPTypesHTTP1", "NIOHTTPTypesHTTP2"]),
    ("apple/swift-http-types", "1.8.0", ["HTTPTypes"]),
    // FilePath, a parameter of swift-configuration's file provider.
    ("apple/swift-system", "1.5.0", ["SystemPackage"]),
    // Outgoing requests: link suites against a server, association files of hosts, webhooks and S3.
    ("swift-server/async-http-client", "1.37.0", ["AsyncHTTPClient"]),
    // HTTP/2 on the public port with our own limits. Hummingbird's HTTP/2 module has no settings for the limits.
    ("apple/swift-nio-http2", "1.46.0", ["NIOHPACK", "NIOHTTP2"]),
    // TLS for the public port, trust roots for outgoing requests, and in tests a server with a private authority.
    ("apple/swift-nio-ssl", "2.37.0", ["NIOSSL"]),
    // Creates certificates: those of the stub server, and in tests an authority for each run.
    ("apple/swift-certificates", "1.19.0", ["X509"]),
]

let package = Package(
    name: "fingerpost",
    platforms: [.macOS(.v15), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "LinkRouting", targets: ["LinkRouting"]),
        .library(name: "AppAssociation", targets: ["AppAssociation"]),
        .library(name: "LinkClient", targets: ["LinkClient"]),
        .library(name: "FingerpostEngine", type: .dynamic, targets: ["FingerpostEngine"]),
        .executable(name: "fingerpost", targets: ["fingerpost"]),
    ],
    traits: [
        .trait(name: "Service", description: "The server and the test tools. Apps turn it off: they need the engine."),
        .default(enabledTraits: ["Service"]),
    ],
    dependencies: packages.map { package in
        let url = "https://github.com/\(package.repository).git"
        return url.hasSuffix("/swift-configuration.git")
            ? .package(url: url, from: package.from, traits: ["YAML"]) : .package(url: url, from: package.from)
    },
    targets: placed(engine, in: "Engine") + placed(service, in: "Service") + placed(testTools, in: "TestTools")
        + placed(testPrograms, in: "Tests") + placed(benchmarks, in: "Tests/Benchmarks")
)

extension Target {
    static func target(_ name: String, _ needs: [Dependency]) -> Target { .target(name: name, dependencies: needs) }
    static func testTarget(_ name: String, _ needs: [Dependency]) -> Target {
        .testTarget(name: name, dependencies: needs)
    }
    static func executableTarget(_ name: String, _ needs: [Dependency]) -> Target {
        .executableTarget(name: name, dependencies: needs)
    }
}

func embedded(_ files: [String]) -> [Resource] { files.map { .embedInCode($0) } }

/// The targets of a room are in Sources/ROOM, and their tests in Tests/ROOM.
func placed(_ targets: [Target], in folder: String) -> [Target] {
    for target in targets {
        let parent = folder.hasPrefix("Tests") ? "" : target.type == .test ? "Tests/" : "Sources/"
        target.path = target.path ?? "\(parent)\(folder)/\(target.name)"
    }
    return targets
}

/// Imports are internal unless stated, existential types are written with `any`, a file sees members only of modules
/// that it imports, and warnings are errors.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// `OPTIMIZED_ENGINE=1`, which `./dev` sets, optimizes the engine in debug builds, too, and keeps its assertions: its
/// property tests then take seconds instead of minutes. Unsafe flags by default would exclude the package as a dependency.
let optimized: [SwiftSetting] =
    Context.environment["OPTIMIZED_ENGINE"] == "1"
    ? [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))] : []

/// `./dev check` builds everything as a release. Optimized tests would take longer to compile than they save.
let unoptimized: [SwiftSetting] = [.unsafeFlags(["-Onone"], .when(configuration: .release))]

for target in package.targets where target.type != .system {
    let isEngine = engine.contains { $0 === target && $0.type != .test } || target.name == "StubMatching"
    target.swiftSettings = isEngine ? strict + optimized : target.type == .test ? strict + unoptimized : strict
    target.dependencies = target.dependencies.map { dependency in
        guard case .byNameItem(let name, _) = dependency else { return dependency }
        if name == "CMalloc" { return .target(name: name, condition: .when(platforms: [.linux])) }
        guard let repository = packages.first(where: { $0.products.contains(name) })?.repository else {
            return dependency
        }
        let package = String(repository.split(separator: "/")[1])
        return name == "Crypto"
            ? .product(name: name, package: package)
            : .product(name: name, package: package, condition: .when(traits: ["Service"]))
    }
}

/// `ONLY_ENGINE=1`, which `./dev test LinkRoutingTests` sets, leaves the targets that need no other package.
if Context.environment["ONLY_ENGINE"] == "1" {
    package.targets.removeAll { !["LinkRouting", "TestSupport", "LinkRoutingTests"].contains($0.name) }
    package.products = []
    package.dependencies = []
}
