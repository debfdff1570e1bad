#!/bin/sh
# resolve-http.sh BINARY SECONDS: requests a second and latencies of `POST /resolve`, each recorded durably before it is
# answered, at 1, 32 and 128 connections, in turn with an endpoint that does nothing. Needs wrk; called by ./dev bench.
#
# The endpoint that does nothing is GET /livez of the ops port: the same framework and middleware and a JSON answer, but no
# body to read. The budget's do-nothing POST endpoint does not exist yet, so the ratio here is a little too strict.
set -eu
binary=${1:?"usage: resolve-http.sh BINARY SECONDS"}
seconds=${2:?"usage: resolve-http.sh BINARY SECONDS"}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

scratch=$(mktemp -d "${TMPDIR:-/tmp}/fingerpost-bench.XXXXXX")
FINGERPOST_LOG_LEVEL=error "$binary" serve --demo --data "$scratch/data" \
    --public 127.0.0.1:0 --admin 127.0.0.1:0 --ops 127.0.0.1:0 >"$scratch/out" &
service=$!
trap 'kill "$service" 2>/dev/null && wait "$service" || :; rm -rf "$scratch"' EXIT
trap 'exit 130' INT TERM

tries=0
until grep -q '^ops ' "$scratch/out"; do
    tries=$((tries + 1))
    [ "$tries" -le 100 ] || { echo 'the service did not start within ten seconds' >&2; exit 1; }
    sleep 0.1
done
public=$(sed -n 's/^public  *//p' "$scratch/out")
ops=$(sed -n 's/^ops  *//p' "$scratch/out")

# measure NAME CONNECTIONS WRK-ARGUMENTS…: prints a row; more than two threads would only take cores from the service.
measure() {
    name=$1
    connections=$2
    shift 2
    threads=$((connections < 2 ? 1 : 2))
    wrk --threads "$threads" --connections "$connections" --duration "${seconds}s" --latency "$@" >"$scratch/wrk"
    awk -v name="$name" -v connections="$connections" '
        $1 == "50%" { p50 = $2 }
        $1 == "99%" { p99 = $2 }
        $1 == "Requests/sec:" { rate = $2 }
        /Non-2xx|Socket errors/ { bad = "  " $0 }
        END { printf "%-14s %11d %12.0f %10s %10s%s\n", name, connections, rate, p50, p99, bad }
    ' "$scratch/wrk"
    rate=$(awk '$1 == "Requests/sec:" { print $2 }' "$scratch/wrk")
}

printf '%-14s %11s %12s %10s %10s\n' endpoint connections requests/s p50 p99
for connections in 1 32 128; do
    measure 'GET /livez' "$connections" "$ops/livez"
    nothing=$rate
    measure 'POST /resolve' "$connections" --script "$here/resolve.lua" "$public/"
    awk -v resolve="$rate" -v nothing="$nothing" 'BEGIN { printf "%-14s %11s %12.2f\n", "  ratio", "", resolve / nothing }'
done
