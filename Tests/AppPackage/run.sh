#!/bin/sh
# An app that turns the trait Service off fetches two other packages.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

scratch=$(mktemp -d "${TMPDIR:-/tmp}/fingerpost-app.XXXXXX")
trap 'rm -rf "$scratch"' EXIT
mkdir -p "$scratch/Sources/App"
echo 'import LinkClient' >"$scratch/Sources/App/App.swift"
# An app names the repository's URL instead of a path.
cat >"$scratch/Package.swift" <<TEXT
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "App",
    platforms: [.macOS(.v15), .iOS(.v16)],
    dependencies: [.package(name: "fingerpost", path: "$root", traits: [])],
    targets: [.target(name: "App", dependencies: [.product(name: "LinkClient", package: "fingerpost")])]
)
TEXT
cd "$scratch"
unset OPTIMIZED_ENGINE
swift package resolve >log 2>&1 || { cat log >&2; fail 'the packages of an app could not be fetched.'; }
fetched=$(sed -n 's/.*"identity" : "\(.*\)",*/\1/p' Package.resolved | sort | paste -s -d ' ' -)
[ "$fetched" = 'swift-asn1 swift-crypto' ] || fail "an app fetches $fetched instead of swift-asn1 and swift-crypto."
echo "an app fetches $fetched"
