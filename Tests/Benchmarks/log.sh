#!/bin/sh
# log.sh LOGBENCH [EVENTS [DAYS]]: fills a log in a scratch folder, runs a dashboard's queries, and drops two days. The
# first of them holds a fifth of all events. Prints the output of ./dev bench log.
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
