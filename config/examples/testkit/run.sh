#!/bin/sh
# run.sh ios UDID | android: runs the generated tests of this folder on a simulator or a device, with a stub server.
set -eu
cd "$(dirname "$0")"
# The server ends with this script, which holds the other end of its input.
mkfifo stub.in
trap 'rm -f stub.in stub.json' EXIT
fingerpost stub stub --tenant catalog.yaml --suite catalog.suite.yaml <stub.in >stub.json &
exec 3>stub.in
while [ ! -s stub.json ]; do kill -0 $! && sleep 0.1; done
url=$(sed -n 's/.*"url": *"\([^"]*\)".*/\1/p' stub.json)
port=${url##*:}
case $1 in
ios)
    # For 'simctl openurl' and Maestro. The generated XCUITests accept the prompt themselves.
    xcrun simctl spawn "$2" defaults write com.apple.launchservices.schemeapproval \
        'com.apple.CoreSimulator.CoreSimulatorBridge-->catalog' 'com.example.catalog'
    TEST_RUNNER_FINGERPOST_STUB=$url xcodebuild test -scheme Catalog -destination "id=$2" \
        -only-testing:UITests/CatalogLinkTests
    ;;
android)
    adb reverse "tcp:$port" "tcp:$port"
    cd android && ./gradlew :linktests:connectedDebugAndroidTest \
        -Pandroid.testInstrumentationRunnerArguments.fingerpostStub="$url" \
        -Pandroid.testInstrumentationRunnerArguments.class=com.example.catalog.linktests.CatalogLinkTest
    ;;
*) echo "run.sh ios UDID | android" >&2; exit 64 ;;
esac
