#!/bin/sh
# The real WireMock gives the recorded answers; recordings and calls of its Python client pass on both servers.
# Packages: python3 python3-venv default-jre-headless
#
# Recordings of each server play back on the other, and the calls of the Python client that pass there pass here.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

debug_build fingerpost
timeout 300 python3 Tests/RealWireMock/recordings.py "$fingerpost"
real_wiremock || exit 3
timeout 300 "$tools/bin/python" Tests/RealWireMock/client_calls.py "$fingerpost"
command -v java >/dev/null || skip 'the real WireMock needs Java; install default-jre-headless.'
timeout 300 python3 Tests/RealWireMock/recordings.py "$fingerpost" --jar "$WIREMOCK_JAR"
timeout 300 "$tools/bin/python" Tests/RealWireMock/client_calls.py "$fingerpost" --jar "$WIREMOCK_JAR"
cases=${STUB_CASES:-../shared/data/wiremock}
[ -e "$cases/run_wiremock_cases.py" ] || skip "there are no recorded answers in $cases."
TZ=UTC timeout 900 python3 "$cases/run_wiremock_cases.py" --cases "$cases/cases.jsonl" \
    --all --strict --ports 19300-19390 \
    --start "java -jar $WIREMOCK_JAR --disable-banner --bind-address 127.0.0.1 --port {port} --root-dir {root} {flags}"
