#!/bin/sh
# log.sh LOGBENCH [EVENTS [DAYS]]: fills a log in a scratch folder, asks it what a dashboard asks, and drops two days of which
# the first holds a fifth of all events. Prints what ./dev bench log shows.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/scratch.sh"

bench=$1
events=${2:-50000000}
days=${3:-90}

echo "== writing $events events of $days days, 1,024 in a transaction, each synced"
"$bench" fill "$scratch/log" --events "$events" --days "$days"
echo "== asking about $days days"
"$bench" ask "$scratch/log" --days "$days"
echo "== dropping the two oldest days"
"$bench" drop "$scratch/log"
