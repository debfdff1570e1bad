#!/bin/sh
# resolve-http.sh BINARY NOTHING SECONDS: requests a second and latencies of `POST /resolve`, each recorded durably before it
# is answered, at 1, 32 and 128 connections, in turn with NOTHING, a server of the same framework that reads the same requests
# and answers them with a constant. `resolve / do-nothing` is what the budget bounds. Needs wrk; called by ./dev bench.
set -eu
usage='usage: resolve-http.sh BINARY NOTHING SECONDS'
binary=${1:?"$usage"}
nothing_binary=${2:?"$usage"}
seconds=${3:?"$usage"}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

scratch=$(mktemp -d "${TMPDIR:-/tmp}/fingerpost-bench.XXXXXX")
service='' nothing_service=''
stop() {
    for process in $service $nothing_service; do
        kill "$process" 2>/dev/null && wait "$process" || :
    done
    rm -rf "$scratch"
}
trap stop EXIT
trap 'exit 130' INT TERM

FINGERPOST_LOG_LEVEL=error "$binary" serve --demo --data "$scratch/data" \
    --public 127.0.0.1:0 --admin 127.0.0.1:0 --ops 127.0.0.1:0 >"$scratch/out" &
service=$!
LOG_LEVEL=error "$nothing_binary" >"$scratch/nothing" &
nothing_service=$!

# The address that a server printed for a port: address FILE NAME.
address() {
    tries=0
    until grep -q "^$2 " "$1"; do
        tries=$((tries + 1))
        [ "$tries" -le 100 ] || { echo "$2 was not listened on within ten seconds" >&2; exit 1; }
        sleep 0.1
    done
    sed -n "s/^$2  *//p" "$1"
}
resolve=$(address "$scratch/out" public)
nothing=$(address "$scratch/nothing" nothing)

# measure NAME CONNECTIONS ADDRESS: prints a row; more than two threads would only take cores from the service.
measure() {
    threads=$(($2 < 2 ? 1 : 2))
    wrk --threads "$threads" --connections "$2" --duration "${seconds}s" --latency --script "$here/resolve.lua" "$3/" \
        >"$scratch/wrk"
    awk -v name="$1" -v connections="$2" '
        $1 == "50%" { p50 = $2 }
        $1 == "99%" { p99 = $2 }
        $1 == "Requests/sec:" { rate = $2 }
        /Non-2xx|Socket errors/ { bad = "  " $0 }
        END { printf "%-20s %11d %12.0f %10s %10s%s\n", name, connections, rate, p50, p99, bad }
    ' "$scratch/wrk"
    rate=$(awk '$1 == "Requests/sec:" { print $2 }' "$scratch/wrk")
}

printf '%-20s %11s %12s %10s %10s\n' endpoint connections requests/s p50 p99
for connections in 1 32 128; do
    measure 'do-nothing' "$connections" "$nothing"
    do_nothing_rate=$rate
    measure 'POST /resolve' "$connections" "$resolve"
    awk -v resolve="$rate" -v nothing="$do_nothing_rate" \
        'BEGIN { printf "%-20s %11s %12.2f\n", "resolve / do-nothing", "", resolve / nothing }'
done
