#!/bin/sh
# run.sh: an app that uses the package without the trait Service fetches two other packages.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
app=$(mktemp -d "${TMPDIR:-/tmp}/fingerpost-app.XXXXXX")
trap 'rm -rf "$app"' EXIT
mkdir -p "$app/Sources/App"
echo 'import LinkClient' >"$app/Sources/App/App.swift"
# An app writes the repository's URL instead of a path; the traits are the same.
cat >"$app/Package.swift" <<TEXT
// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "App",
    platforms: [.macOS(.v15), .iOS(.v16)],
    dependencies: [.package(name: "fingerpost", path: "$root", traits: [])],
    targets: [.target(name: "App", dependencies: [.product(name: "LinkClient", package: "fingerpost")])]
)
TEXT
cd "$app"
unset OPTIMIZED_ENGINE
swift package resolve >"$app/log" 2>&1 || { cat "$app/log" >&2; exit 1; }
fetched=$(sed -n 's/.*"identity" : "\(.*\)",*/\1/p' Package.resolved | sort | paste -s -d ' ')
echo "an app fetches: $fetched"
[ "$fetched" = 'swift-asn1 swift-crypto' ] || { echo 'expected only swift-asn1 and swift-crypto' >&2; exit 1; }
