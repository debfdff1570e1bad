#!/bin/sh
# Compilers of Swift and Kotlin read the generated UI tests, and their literals are the bytes that were quoted.
# Packages: kotlin
#
# The generated files are those of config/examples/testkit, and those of suites with hostile texts, which a test writes.
# Swift is checked against declarations of XCUITest, Kotlin is compiled against classes of Android, and the Kotlin
# functions that quote for the shell are run.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

scratch_folder
hostile=$scratch/generated
example=config/examples/testkit
mkdir "$hostile"
HOSTILE_OUT=$hostile ./dev test TestKitTests.Literal >"$scratch/log" 2>&1 ||
    fail "the hostile suites could not be generated: $(cat "$scratch/log")"

for module in XCTest UIKit; do
    swiftc -emit-module -module-name "$module" -swift-version 5 -parse-as-library -suppress-warnings \
        -o "$scratch/$module.swiftmodule" "Tests/TestKit/$module.swift"
done
for version in 5 6; do
    swiftc -typecheck -swift-version $version -warnings-as-errors -I "$scratch" "$example"/ios/UITests/*.swift
    swiftc -typecheck -swift-version $version -warnings-as-errors -I "$scratch" "$hostile"/*.swift
    swiftc -typecheck -swift-version $version -warnings-as-errors -D DEBUG -I "$scratch" "$example/ios/App/LinkProbe.swift"
    swiftc -typecheck -swift-version $version -warnings-as-errors "$example/ios/App/LinkProbe.swift"
done
echo "Swift: $(cat "$example"/ios/*/*.swift "$hostile"/*.swift | wc -l) lines type-checked in Swift 5 and 6"

swiftc -swift-version 5 -o "$scratch/literals" "$hostile/literals/main.swift"
"$scratch/literals"

# The fixtures decode the files that the stub serves.
mkdir "$scratch/fixtures"
cat >"$scratch/main.swift" <<'S'
let (products, product, user) = (try Fixtures.products, try Fixtures.product123, try Fixtures.userPremium)
precondition(products.map(\.discount) == [nil, 10])
precondition(product.isAvailable && product.price.currency == "EUR")
precondition(user.features == ["list", "offers"])
for fixture in Fixture.allCases { _ = try fixture.data() }
print("Swift: \(Fixture.allCases.count) fixtures read")
S
swiftc -o "$scratch/fixtures/read" "$example/ios/UITests/Fixtures.swift" "$scratch/main.swift"
cp -R "$example/stub/__files" "$scratch/fixtures/__files"
"$scratch/fixtures/read"

command -v kotlinc >/dev/null || skip 'Kotlin: install the Debian package kotlin.'
mkdir "$scratch/stubs"
"Tests/TestKit/android_stubs.py" "$scratch/stubs"
compile() {
    # shellcheck disable=SC2086 # several paths
    JAVA_OPTS='-Xmx512m' kotlinc -nowarn -d "$1" -classpath "$scratch/android" $2 2>&1 | grep -v 'OpenJDK' >"$scratch/log" || :
    if grep -q '^.*error:' "$scratch/log"; then cat "$scratch/log" >&2; exit 1; fi
}
compile "$scratch/android" "$scratch/stubs"
cat >"$scratch/Quote.kt" <<'K'
package com.acme.app.linktests
fun main() {
    val texts = System.`in`.readBytes().toString(Charsets.UTF_8).split("\u0000")
    for (text in texts) {
        val read = shell("printf '%s' " + quoted(text))
        check(read == text) { "the shell reads " + read + " instead of " + text }
    }
    println("Kotlin: " + texts.size + " texts pass the shell byte for byte")
}
K
compile "$scratch/app" "$example/android/app/src/debug/kotlin/LinkProbe.kt"
compile "$scratch/release" "$example/android/app/src/release/kotlin/LinkProbe.kt"
compile "$scratch/example" "$example/android/linktests"
compile "$scratch/hostile" "$hostile $scratch/Quote.kt"
java -classpath "$scratch/hostile:/usr/share/java/kotlin-stdlib.jar" LiteralsKt
echo "Kotlin: $(cat "$example"/android/*/*.kt "$hostile"/*.kt | wc -l) lines compiled"
# shellcheck disable=SC1003,SC2016 # literal texts
printf '%s\0' "it's" '$(id)' '`id`' 'a&b|c;d' '"x"' '\\' 'a  b' '*/' '${x}' 'é日🧪' "''" '-n' '%s' |
    java -classpath "$scratch/hostile:$scratch/android:/usr/share/java/kotlin-stdlib.jar" com.acme.app.linktests.QuoteKt
