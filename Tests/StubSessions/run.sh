#!/bin/sh
# 10,000 random sessions of the stub server answer as their models say, and leave no memory.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

STUB_SESSIONS=10000 timeout 3600 ./dev test StubServerTests.SessionTests/randomSessionsAnswerAsTheirModelsSay
