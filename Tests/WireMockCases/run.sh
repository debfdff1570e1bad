#!/bin/sh
# The stub server answers like WireMock in recorded cases.
# Packages: python3
#
# The cases are not part of this repository; STUB_CASES names their folder.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

cases=${STUB_CASES:-../shared/data/wiremock}
[ -e "$cases/run_wiremock_cases.py" ] || skip "there are no recorded answers in $cases."
debug_build fingerpost
TZ=UTC timeout 900 python3 "$cases/run_wiremock_cases.py" --cases "$cases/cases.jsonl" \
    --differences Tests/TestTools/StubServerTests/differences.txt --ports 19300-19390 \
    --start "$fingerpost stub {root} --port {port} {flags}"
