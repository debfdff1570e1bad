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
# WireMock answers a request that no stub matches with a table. Its layout is not compared; status and headers are.
made=$(mktemp)
trap 'rm -f "$made"' EXIT
python3 - "$cases/cases.jsonl" > "$made" << 'PYTHON'
import json, sys

for line in open(sys.argv[1], encoding="utf-8"):
    case = json.loads(line)
    for step in case.get("steps", []):
        if "Request was not matched" in step.get("expect", {}).get("body", {}).get("text", ""):
            step["bodyRegex"], step["expect"]["body"] = r"No stub matches this request\..*", {"matches": True}
    print(json.dumps(case))
PYTHON
TZ=UTC timeout 900 python3 "$cases/run_wiremock_cases.py" --cases "$made" \
    --differences Tests/TestTools/StubServerTests/differences.txt --ports 19300-19390 \
    --start "$fingerpost stub {root} --port {port} {flags}"
