# Sourced by the benchmarks: a folder and processes that end with the script, and the service with its demo tenants.

scratch=$(mktemp -d "${TMPDIR:-/tmp}/fingerpost-bench.XXXXXX")
processes=''
stop() {
    for process in $processes; do
        kill "$process" 2>/dev/null && wait "$process" || :
    done
    rm -rf "$scratch"
}
trap stop EXIT
trap 'exit 130' INT TERM

# start_service BINARY: on free ports; what it prints is in $scratch/out.
start_service() {
    FINGERPOST_LOG_LEVEL=error "$1" serve --demo --data "$scratch/data" \
        --public 127.0.0.1:0 --admin 127.0.0.1:0 --ops 127.0.0.1:0 >"$scratch/out" &
    processes="$processes $!"
}

# address FILE NAME: the address that a server printed for a port.
address() {
    tries=0
    until grep -q "^$2 " "$1"; do
        tries=$((tries + 1))
        [ "$tries" -le 100 ] || { echo "$2 was not listened on within ten seconds" >&2; exit 1; }
        sleep 0.1
    done
    sed -n "s/^$2  *//p" "$1"
}

# latencies FILE: rate, median and 99th percentile that wrk wrote there, and what went wrong.
latencies() {
    awk '
        $1 == "50%" { p50 = $2 }
        $1 == "99%" { p99 = $2 }
        $1 == "Requests/sec:" { rate = $2 }
        /Non-2xx|Socket errors/ { bad = "  " $0 }
        END { printf "%12.0f %10s %10s%s\n", rate, p50, p99, bad }
    ' "$1"
}
