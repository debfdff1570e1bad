#!/bin/sh
# Every part of ./dev bench runs once with small inputs and a debug build; its figures mean nothing.
# Packages: python3 python3-venv wrk valgrind nginx-light sqlite3 binutils default-jre-headless postgresql
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

real_wiremock || :
debug_build fingerpost Yardsticks RoutingBench LogBench ClientBench
timeout 600 python3 Tests/Benchmarks/bench.py --binaries "$binaries" --smoke
