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

. "$here/service.sh"

start_service "$binary"
LOG_LEVEL=error "$nothing_binary" >"$scratch/nothing" &
processes="$processes $!"

resolve=$(address "$scratch/out" public)
nothing=$(address "$scratch/nothing" nothing)

# measure NAME CONNECTIONS ADDRESS: prints a row; more than two threads would only take cores from the service.
measure() {
    threads=$(($2 < 2 ? 1 : 2))
    wrk --threads "$threads" --connections "$2" --duration "${seconds}s" --latency --script "$here/resolve.lua" "$3/" \
        >"$scratch/wrk"
    printf '%-20s %11d %s\n' "$1" "$2" "$(latencies "$scratch/wrk")"
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
