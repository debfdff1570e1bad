// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "fingerpost-swift",
    platforms: [.macOS(.v15), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "LinkRouting", targets: ["LinkRouting"]),
        .library(name: "LinkTable", targets: ["LinkTable"]),
        .library(name: "LinkClient", targets: ["LinkClient"]),
        .library(name: "ScreenCode", targets: ["ScreenCode"]),
    ],
    dependencies: [
        // SHA-256 and Ed25519 for signed tables. Brings swift-asn1.
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0")
    ],
    targets: [
        .target(name: "LinkRouting", path: "Sources/Engine/LinkRouting"),
        .target(name: "LinkTable", dependencies: ["LinkRouting", crypto], path: "Sources/Engine/LinkTable"),
        .target(name: "LinkClient", dependencies: ["LinkRouting", "LinkTable"], path: "Sources/Engine/LinkClient"),
        .target(name: "ScreenCode", dependencies: ["LinkRouting"], path: "Sources/Engine/ScreenCode"),
        .target(name: "TestSupport", dependencies: ["LinkRouting"], path: "Tests/TestSupport"),
        .testTarget(
            name: "LinkRoutingTests",
            dependencies: ["LinkRouting", "TestSupport"],
            path: "Tests/Engine/LinkRoutingTests"
        ),
        .testTarget(
            name: "LinkTableTests",
            dependencies: ["LinkRouting", "LinkTable", "TestSupport", crypto],
            path: "Tests/Engine/LinkTableTests"
        ),
        .testTarget(
            name: "LinkClientTests",
            dependencies: ["LinkClient", "LinkRouting", "LinkTable", "TestSupport"],
            path: "Tests/Engine/LinkClientTests"
        ),
        .testTarget(
            name: "ScreenCodeTests",
            dependencies: ["LinkRouting", "ScreenCode", "TestSupport"],
            path: "Tests/Engine/ScreenCodeTests",
            exclude: ["Expected"]
        ),
    ]
)

var crypto: Target.Dependency { .product(name: "Crypto", package: "swift-crypto") }

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
