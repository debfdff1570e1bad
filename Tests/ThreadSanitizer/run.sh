#!/bin/sh
# All tests except EndToEndTests run without a data race.
#
# run.sh [FILTER]: only the tests that match the regular expression. Called by ./dev test --threads.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

filter=${1:-.}
[ "$(uname -s)" = Linux ] || skip "this needs Linux; on other systems, run 'swift test --sanitize=thread'."
folder=.build/threads
mkdir -p "$folder"
# ThreadSanitizer does not see the slow path of Swift's Mutex, so a preloaded library interposes it.
clang -shared -fPIC -O1 Tests/ThreadSanitizer/swift-mutex.c -o "$folder/swift-mutex.so" ||
    fail 'clang does not work. It is part of Swift; put it on the PATH.'
swift build --build-tests --sanitize=thread --scratch-path "$folder"
tests=$folder/debug/fingerpostPackageTests.xctest
# 60 tests at a time: hundreds of instrumented tests have 1,000 threads, and do not end.
"$tests" --testing-library swift-testing --list-tests | grep -v '^EndToEndTests' | grep -E -e "$filter" |
    sed 's|[().]|\\&|g' | paste -s -d '|' | sed 's/\(\([^|]*|\)\{59\}[^|]*\)|/\1\n/g' >"$folder/batches"
status=0
while read -r batch; do
    [ -n "$batch" ] || fail "no test matches '$filter'."
    # A report makes the exit status 66. Programs that a test starts are not instrumented and must not load the
    # library.
    LD_PRELOAD="$PWD/$folder/swift-mutex.so" "$tests" --testing-library swift-testing \
        --filter "^($batch)(/|\$)" </dev/null || status=$?
done <"$folder/batches"
exit "$status"
