// swift-tools-version: 6.2
import PackageDescription

/// Settings shared by all targets: imports are internal unless stated, existential types are written with `any`, a file
/// sees members only of modules that it imports, and warnings are errors.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .treatAllWarnings(as: .error),
]

/// `OPTIMIZED_ENGINE=1`, which `./dev` sets, optimizes the engine in debug builds, too, and keeps its assertions: its
/// property tests then take seconds instead of minutes. Unsafe flags by default would exclude the package as a dependency.
let engine: [SwiftSetting] =
    Context.environment["OPTIMIZED_ENGINE"] == "1"
    ? strict + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))] : strict

/// `ONLY_TARGETS=LinkEventsTests` reduces the package to the named targets and all that they depend on, so that the tests
/// of one layer build nothing else. `./dev test` sets it.
let onlyTargets = Context.environment["ONLY_TARGETS"].map { $0.split(separator: ",").map(String.init) }

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
    dependencies: [
        // HTTP server on SwiftNIO with structured concurrency. Also brings NIO.
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0"),
        // SQLite connections, transactions and row decoding. The SQL is our own.
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        // Command line: parsing, help pages, exit codes.
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        // Reads flags, environment variables and a YAML file, in that order.
        .package(url: "https://github.com/apple/swift-configuration.git", from: "1.4.0", traits: ["YAML"]),
        // YAML with source positions, so that an error in a table names its line.
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.0"),
        // SHA-256, HMAC and AES-GCM for keys, manifests and sealed continuations.
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0"),
        // Starts and stops long-running services in a defined order.
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        // Atomic reference to the current catalog. The standard library's Atomic does not accept classes.
        .package(url: "https://github.com/apple/swift-atomics.git", from: "1.3.0"),
        // Direct dependency because MemberImportVisibility requires every module that a file uses.
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        // FilePath, a parameter of swift-configuration's file provider.
        .package(url: "https://github.com/apple/swift-system.git", from: "1.5.0"),
        // Outgoing requests: link suites against a server, association files of hosts, webhooks and S3.
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        // HTTP/2 on the public port with our own limits. Hummingbird's HTTP/2 module uses this package too, but has no
        // settings for the limits.
        .package(url: "https://github.com/apple/swift-nio-http2.git", from: "1.46.0"),
        // TLS for the public port, trust roots for outgoing requests, and in tests a server with a private certificate
        // authority.
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.0"),
        // Creates certificates: those of the stub server, and in tests an authority for each run.
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.19.0"),
    ],
    targets: [
        .target(name: "LinkRouting", swiftSettings: engine),
        .target(name: "AppAssociation", dependencies: ["LinkRouting"], swiftSettings: engine),
        // Signed tables for apps: their format, keys, signing and verifying.
        .target(
            name: "LinkTable",
            dependencies: ["LinkRouting", .product(name: "Crypto", package: "swift-crypto")],
            swiftSettings: engine
        ),
        // The engine in an app: a signed table, downloads, and reports to the server.
        .target(
            name: "LinkClient",
            dependencies: ["LinkRouting", "LinkTable"],
            swiftSettings: engine
        ),
        // The engine as a C library; fingerpost_engine.h declares its functions.
        .target(
            name: "FingerpostEngine",
            dependencies: ["LinkRouting"],
            exclude: ["fingerpost_engine.h"],
            swiftSettings: strict
        ),
        // Test cases for engines in other languages, with the expected answers.
        .target(
            name: "Conformance",
            dependencies: ["Examples", "LinkCatalog", "LinkRouting"],
            resources: [.embedInCode("cases.yaml"), .embedInCode("routing-conformance.md")],
            swiftSettings: strict
        ),
        // Generates the screens of a table as Swift, Kotlin and TypeScript.
        .target(name: "ScreenCode", dependencies: ["LinkRouting"], swiftSettings: strict),
        .target(
            name: "LinkCatalog",
            dependencies: [
                "LinkRouting", "AppAssociation",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Yams", package: "Yams"),
            ],
            resources: [
                .embedInCode("Schemas/tenant.yaml"), .embedInCode("Schemas/settings.yaml"),
                .embedInCode("Schemas/table.yaml"), .embedInCode("Schemas/suite.yaml"),
            ],
            swiftSettings: strict
        ),
        // The pure parts of the stub server: requests, mappings, regular expressions, JSONPath and templates, without I/O.
        .target(name: "StubMatching", dependencies: ["LinkRouting"], swiftSettings: engine),
        // Network addresses and trace contexts, for everything that receives or sends requests.
        .target(
            name: "NetworkTypes",
            dependencies: [
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "OutboundHTTP",
            dependencies: [
                "NetworkTypes",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            swiftSettings: strict
        ),
        .systemLibrary(name: "CMaxMindDB", pkgConfig: "libmaxminddb", providers: [.apt(["libmaxminddb-dev"])]),
        .target(name: "GeoIP", dependencies: ["NetworkTypes", "CMaxMindDB"], swiftSettings: strict),
        // glibc's heap functions (such as mallinfo2 and mallopt), which the Swift module Glibc does not export.
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        // gzip, compressed and decompressed as a stream.
        .target(name: "Gzip", dependencies: ["CZlib"], swiftSettings: strict),
        .target(
            name: "LinkEvents",
            dependencies: [
                "LinkRouting", "NetworkTypes", "OutboundHTTP", "Gzip",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Migrations",
            path: "migrations",
            resources: [
                .embedInCode("m0001_catalog.sql"), .embedInCode("m0002_catalog.sql"),
                .embedInCode("m0003_catalog.sql"), .embedInCode("m0004_catalog.sql"),
                .embedInCode("m0005_catalog.sql"), .embedInCode("m0006_catalog.sql"),
                .embedInCode("m0007_catalog.sql"),
                .embedInCode("m0001_events.sql"), .embedInCode("m0002_events.sql"),
                .embedInCode("m0003_events.sql"), .embedInCode("m0004_events.sql"),
                .embedInCode("m0005_events.sql"),
                .embedInCode("m0001_ledger.sql"), .embedInCode("m0002_ledger.sql"),
                .embedInCode("m0003_ledger.sql"), .embedInCode("m0004_ledger.sql"),
                .embedInCode("m0005_ledger.sql"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "LinkStorage",
            dependencies: [
                "LinkRouting", "LinkCatalog", "LinkEvents", "Migrations",
                .product(name: "GRDB", package: "GRDB.swift"),
                // SQLite's C interface, for the one statement that runs for each event.
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict
        ),
        // What goes over the wire, for the server and the command line.
        .target(
            name: "LinkAPI",
            dependencies: ["LinkRouting", "LinkCatalog", "LinkEvents"],
            swiftSettings: strict
        ),
        // The service below HTTP: resolution, keys, admission, replay.
        .target(
            name: "LinkService",
            dependencies: [
                "LinkRouting", "AppAssociation", "LinkCatalog", "LinkEvents", "LinkAPI", "LinkTable", "NetworkTypes",
                .product(name: "Atomics", package: "swift-atomics"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        // Connections of HTTP/1 and HTTP/2 without any endpoint: parsing, limits, TLS, PROXY, writing.
        .target(
            name: "HTTPTransport",
            dependencies: [
                "LinkRouting", "LinkAPI", "NetworkTypes",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOTLS", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP1", package: "swift-nio-extras"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "LinkServer",
            dependencies: [
                .target(name: "CMalloc", condition: .when(platforms: [.linux])),
                "LinkRouting", "AppAssociation", "LinkCatalog", "LinkEvents", "LinkAPI", "LinkService", "LinkTable",
                "HTTPTransport", "NetworkTypes", "Gzip",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOExtras", package: "swift-nio-extras"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
                .product(name: "NIOHTTPTypesHTTP2", package: "swift-nio-extras"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Atomics", package: "swift-atomics"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [
                .embedInCode("OpenAPI/problems.yaml"), .embedInCode("OpenAPI/public.yaml"),
                .embedInCode("OpenAPI/admin.yaml"), .embedInCode("OpenAPI/tenants.yaml"),
                .embedInCode("OpenAPI/drafts.yaml"), .embedInCode("OpenAPI/revisions.yaml"),
                .embedInCode("OpenAPI/keys.yaml"), .embedInCode("OpenAPI/association.yaml"),
                .embedInCode("OpenAPI/exports.yaml"), .embedInCode("OpenAPI/log.yaml"),
                .embedInCode("OpenAPI/schemas.yaml"),
                .embedInCode("OpenAPI/analytics.yaml"), .embedInCode("OpenAPI/events.yaml"),
            ],
            swiftSettings: strict
        ),
        .target(
            name: "Examples",
            path: "config",
            exclude: ["examples/app", "examples/jni", "examples/testkit"],
            resources: [
                .embedInCode("fingerpost.yaml"),
                .embedInCode("examples/sample.yaml"), .embedInCode("examples/blogs.yaml"),
                .embedInCode("examples/taxi.yaml"), .embedInCode("examples/shop.yaml"),
                .embedInCode("examples/magazine.yaml"),
                .embedInCode("examples/sample.suite.yaml"), .embedInCode("examples/blogs.suite.yaml"),
                .embedInCode("examples/taxi.suite.yaml"), .embedInCode("examples/shop.suite.yaml"),
                .embedInCode("examples/magazine.suite.yaml"),
            ],
            swiftSettings: strict
        ),
        // The stub server for tests of apps. The service does not depend on it.
        .target(
            name: "StubServer",
            dependencies: [
                "Gzip", "LinkRouting", "OutboundHTTP", "StubMatching",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: strict
        ),
        // The endpoints of links in the stub server: those of the service, for tenant files and without its storage.
        .target(
            name: "StubLinks",
            dependencies: [
                "HTTPTransport", "LinkAPI", "LinkCatalog", "LinkEvents", "LinkRouting", "LinkServer", "LinkService",
                "LinkTable", "NetworkTypes", "StubMatching", "StubServer",
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        // What the command line does, without its parsing.
        .target(
            name: "LinkCommands",
            dependencies: [
                "LinkRouting", "AppAssociation", "LinkCatalog", "LinkEvents", "LinkAPI", "LinkService", "LinkTable",
                "OutboundHTTP", "Gzip",
                // SHA-256 of signing certificates.
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        // Sources of UI tests, fixtures and LinkProbe from suites and stub folders, and the check of an app's project.
        .target(
            name: "TestKit",
            dependencies: ["LinkRouting", "AppAssociation", "LinkCatalog"],
            resources: [
                .embedInCode("Templates/LinkProbe.swift.txt"), .embedInCode("Templates/LinkProbe.kt.txt"),
                .embedInCode("Templates/LinkProbeNoOp.kt.txt"), .embedInCode("Templates/XCUITestSupport.swift.txt"),
                .embedInCode("Templates/XCUITestAssociation.swift.txt"),
                .embedInCode("Templates/AndroidSupport.kt.txt"), .embedInCode("Templates/AndroidAssociation.kt.txt"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "fingerpost",
            dependencies: [
                "Examples", "TestKit",
                "LinkRouting", "AppAssociation", "LinkCatalog", "LinkEvents", "LinkStorage", "LinkAPI", "LinkService",
                "LinkTable", "HTTPTransport", "LinkServer", "LinkCommands", "NetworkTypes", "OutboundHTTP", "GeoIP",
                "ScreenCode", "Conformance", "StubLinks", "StubMatching", "StubServer",
                .target(name: "CMalloc", condition: .when(platforms: [.linux])),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Configuration", package: "swift-configuration"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "UnixSignals", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        // Not products: only ./dev bench builds and runs them.
        .executableTarget(
            name: "Yardsticks",
            dependencies: [
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/Benchmarks/Yardsticks",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "RoutingBench",
            dependencies: [
                .target(name: "CMalloc", condition: .when(platforms: [.linux])), "LinkAPI", "LinkCatalog",
                "LinkEvents", "LinkRouting", "LinkServer",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Benchmarks/RoutingBench",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "LogBench",
            dependencies: [
                "LinkEvents", "LinkRouting", "LinkStorage",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            path: "Tests/Benchmarks/LogBench",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "ClientBench",
            dependencies: [
                "LinkClient", "LinkRouting", "LinkTable",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Benchmarks/ClientBench",
            swiftSettings: strict
        ),
        // Compares random editing histories with a model: 200 in the tests, 2,000 in ./dev check, 100,000 with --full.
        .target(
            name: "EditingHistories",
            dependencies: ["LinkCatalog", "LinkRouting", "LinkStorage"],
            path: "Tests/EditingHistories",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "Histories",
            dependencies: ["EditingHistories"],
            path: "Tests/Histories",
            exclude: ["run.sh"],
            swiftSettings: strict
        ),
        // Compares random answers of apps with those of the server: 4,000 in the tests, 200,000 with --full.
        .target(
            name: "ClientComparison",
            dependencies: ["LinkCatalog", "LinkClient", "LinkRouting", "LinkTable", "TestSupport"],
            path: "Tests/ClientComparison",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "ClientAnswers",
            dependencies: ["ClientComparison"],
            path: "Tests/ClientAnswers",
            exclude: ["run.sh"],
            swiftSettings: strict
        ),
        // An app with a LinkClient, which a test of the whole service kills.
        .executableTarget(
            name: "ReportingApp",
            dependencies: ["LinkClient"],
            path: "Tests/ReportingApp",
            swiftSettings: strict
        ),
        // Code shared by several test targets.
        .target(name: "TestSupport", dependencies: ["LinkRouting"], path: "Tests/TestSupport", swiftSettings: strict),
        .testTarget(name: "LinkRoutingTests", dependencies: ["LinkRouting", "TestSupport"], swiftSettings: strict),
        .testTarget(
            name: "LinkTableTests",
            dependencies: [
                "LinkRouting", "LinkTable", "TestSupport", .product(name: "Crypto", package: "swift-crypto"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LinkClientTests",
            dependencies: ["ClientComparison", "LinkClient", "LinkRouting", "LinkTable", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "AppAssociationTests",
            dependencies: ["AppAssociation", "LinkCatalog", "LinkRouting", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LinkCatalogTests",
            dependencies: [
                "EditingHistories", "LinkAPI", "LinkCatalog", "LinkRouting", "LinkService", "LinkStorage",
                "TestSupport",
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LinkCommandsTests",
            dependencies: ["LinkCatalog", "LinkCommands", "LinkRouting", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ScreenCodeTests",
            dependencies: ["Examples", "LinkCatalog", "LinkRouting", "ScreenCode"],
            exclude: ["Expected"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ConformanceTests",
            dependencies: ["Conformance", "LinkCatalog", "LinkRouting"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "TestKitTests",
            dependencies: [
                "AppAssociation", "LinkCatalog", "LinkRouting", "TestKit", "TestSupport",
                .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "StubServerTests",
            dependencies: [
                "Gzip", "LinkRouting", "StubMatching", "StubServer", "TestSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            exclude: ["differences.txt"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "StubLinksTests",
            dependencies: [
                "Examples", "HTTPTransport", "LinkCatalog", "LinkEvents", "LinkRouting", "LinkServer", "LinkService",
                "LinkStorage", "LinkTable", "StubLinks", "StubMatching", "StubServer", "TestSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "StubMatchingTests",
            dependencies: ["LinkRouting", "StubMatching", "TestSupport"],
            swiftSettings: strict
        ),
        .testTarget(name: "GeoIPTests", dependencies: ["GeoIP", "NetworkTypes"], swiftSettings: strict),
        .testTarget(name: "NetworkTypesTests", dependencies: ["NetworkTypes"], swiftSettings: strict),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "fingerpost", "ReportingApp", "LinkCatalog", "LinkClient", "LinkEvents", "LinkRouting", "LinkTable",
                "OutboundHTTP", "TestSupport",
                // Damages the files of a stopped service, as a disk failure or an older version would.
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            exclude: ["Transcripts"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LinkEventsTests",
            dependencies: [
                "LinkRouting", "LinkEvents", "NetworkTypes", "Gzip", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycleTestKit", package: "swift-service-lifecycle"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LinkStorageTests",
            dependencies: [
                "LinkRouting", "LinkCatalog", "LinkEvents", "LinkStorage", "Migrations", "NetworkTypes",
                "OutboundHTTP", "Gzip", "TestSupport",
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LinkServiceTests",
            dependencies: [
                "LinkRouting", "LinkCatalog", "LinkAPI", "LinkService", "NetworkTypes", "TestSupport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ],
            swiftSettings: strict
        ),
        // A private certificate authority for the tests of TLS.
        .target(
            name: "TLSTestSupport",
            dependencies: [
                "LinkRouting", "HTTPTransport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            path: "Tests/TLSTestSupport",
            swiftSettings: strict
        ),
        .testTarget(
            name: "HTTPTransportTests",
            dependencies: [
                "LinkRouting", "LinkAPI", "HTTPTransport", "NetworkTypes", "TestSupport", "TLSTestSupport",
                .product(name: "CoreMetrics", package: "swift-metrics"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
            ],
            swiftSettings: strict
        ),
        .testTarget(
            name: "LinkServerTests",
            dependencies: [
                "Examples", "LinkRouting", "LinkCatalog", "LinkEvents", "LinkStorage", "LinkAPI", "LinkService",
                "LinkTable", "HTTPTransport", "LinkServer", "NetworkTypes", "OutboundHTTP", "Gzip", "TLSTestSupport",
                "TestSupport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                // Fills the tables of a tenant up to their quotas.
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHPACK", package: "swift-nio-http2"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOHTTP2", package: "swift-nio-http2"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "X509", package: "swift-certificates"),
            ],
            swiftSettings: strict
        ),
    ]
)

if let onlyTargets {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var kept: Set<String> = []
    var packages: Set<String> = []
    var waiting = onlyTargets
    while let name = waiting.popLast() {
        guard let target = targets[name], kept.insert(name).inserted else { continue }
        for dependency in target.dependencies {
            switch dependency {
            case .byNameItem(let name, _), .targetItem(let name, _): waiting.append(name)
            case .productItem(_, let package, _, _): if let package { packages.insert(package) }
            @unknown default: break
            }
        }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products.removeAll { !kept.contains($0.name) }
    // Only these packages and their dependencies are fetched.
    package.dependencies.removeAll { dependency in
        switch dependency.kind {
        case .sourceControl(_, let location, _): !packages.contains { location.hasSuffix("/\($0).git") }
        default: true
        }
    }
}
