#!/bin/sh
# publish-http.sh BINARY SECONDS: how long a publication of 10,000 routes takes until it is live, and the latencies of
# `POST /resolve` over 64 connections while nothing is published and while publications follow each other. The budget: live
# in under a second, and a 99th percentile within three times of the quiet one. Needs wrk and curl; called by ./dev bench.
set -eu
usage='usage: publish-http.sh BINARY SECONDS'
binary=${1:?"$usage"}
seconds=${2:?"$usage"}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

. "$here/service.sh"

start_service "$binary"
resolve=$(address "$scratch/out" public)
tenant=$(address "$scratch/out" admin)/admin/v1/tenants/bench
key=$(sed -n 's/.*KEY=//p' "$scratch/out")

# send METHOD PATH FILE: fails unless the answer is a success; prints its seconds.
send() {
    curl --silent --show-error --fail-with-body --output "$scratch/answer" --write-out '%{time_total}' \
        --request "$1" --header "Authorization: Bearer $key" --data-binary "@$3" "$tenant/$2" \
        || { cat "$scratch/answer" >&2; exit 1; }
}

# Writes the table of a generation.
table() {
    awk -v generation="$1" 'BEGIN {
        printf "{\"defaults\":{\"fallback\":{\"web\":\"https://www.bench.test/\"}},\"routes\":["
        for (i = 0; i < 10000; i++)
            printf "%s{\"id\":\"r%d\",\"path\":\"/%d/{id:int}\",\"open\":{\"screen\":\"G%d\"}}", i ? "," : "", i, i, generation
        printf "]}"
    }' >"$scratch/table$1"
}

load() {
    wrk --threads 1 --connections 64 --duration "${seconds}s" --latency --script "$here/resolve.lua" "$resolve/"
}

printf '{"domains":[{"host":"www.bench.test","serves":"association"}],"schemes":["bench"],"association":{"detail":"coarse"}}' >"$scratch/settings"
printf '' >"$scratch/empty"
send PUT settings "$scratch/settings" >/dev/null

printf '%-22s %12s %10s %10s\n' '64 connections' requests/s p50 p99
load >"$scratch/quiet"
printf '%-22s %s\n' 'quiet' "$(latencies "$scratch/quiet")"
# Made before the load, of which the two cores are full; each publication changes every route.
table 0
table 1
load >"$scratch/busy" &
load=$!
processes="$processes $load"
generation=0
while kill -0 "$load" 2>/dev/null; do
    generation=$((generation + 1))
    written=$(send PUT draft "$scratch/table$((generation % 2))")
    published=$(send POST draft/publish "$scratch/empty")
    printf '%s %s\n' "$written" "$published" >>"$scratch/times"
done
wait "$load" || :
printf '%-22s %s\n' "$generation publications" "$(latencies "$scratch/busy")"
printf '10,000 routes, seconds:'
awk '{ if ($1 > draft) draft = $1; if ($2 > live) live = $2; sum += $2 }
    END { printf " draft written in %.2f, live %.2f later at most (mean %.2f)\n", draft, live, sum / NR }' "$scratch/times"
