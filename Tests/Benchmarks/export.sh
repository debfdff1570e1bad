#!/bin/sh
# export.sh LOGBENCH [EVENTS [ROUNDS]]: exports a log of generated events as NDJSON and as CSV. For comparison, sqlite3
# reads the same rows, joins their texts and pipes them to `gzip -6`. Prints the ratio; the export must reach 0.8 of the
# rows per second. Needs sqlite3 and gzip. Called by ./dev bench.
set -eu
bench=${1:?'usage: export.sh LOGBENCH [EVENTS [ROUNDS]]'}
events=${2:-500000}
rounds=${3:-2}
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)

. "$here/scratch.sh"

"$bench" fill "$scratch/log" --events "$events" --days 2 >"$scratch/fill"
days=$(ls "$scratch/log" | grep -E '^[0-9-]+\.db$')

# A column as an export shows it: text numbers become texts, UUID blobs become their digits.
columns="SELECT name, CASE type WHEN 'ANY' THEN 'CASE typeof(' || name || ') WHEN ''integer'' THEN (SELECT value FROM text WHERE id = event.'
    || name || ') WHEN ''blob'' THEN lower(hex(' || name || ')) ELSE ' || name || ' END' ELSE name END AS shown FROM pragma_table_info('event')"

# query ndjson|csv DAY: prints the statement that reads a day.
query() {
    case $1 in
    csv) wanted="SELECT 'SELECT ' || group_concat(shown || ' AS ' || name, ', ')" ;;
    ndjson) wanted="SELECT 'SELECT json_object(' || group_concat('''' || name || ''', ' || shown, ', ') || ')'" ;;
    esac
    where="(SELECT id FROM text WHERE value = ''shop'')"
    sqlite3 -readonly "$scratch/log/$2" "$wanted || ' FROM event WHERE tenant IN $where ORDER BY seq' FROM ($columns)"
}

# read_with_sqlite ndjson|csv: prints the elapsed seconds.
read_with_sqlite() {
    for day in $days; do query "$1" "$day" >"$scratch/$day.sql"; done
    mode=-list
    [ "$1" = ndjson ] || mode=-csv
    start=$(date +%s.%N)
    for day in $days; do sqlite3 -readonly $mode "$scratch/log/$day" <"$scratch/$day.sql"; done | gzip -6 >"$scratch/sqlite.gz"
    end=$(date +%s.%N)
    awk -v start="$start" -v end="$end" 'BEGIN { print end - start }'
}

printf '%-8s %10s %14s %14s %8s %8s\n' format rows 'sqlite rows/s' 'export rows/s' ratio 'RSS MB'
for round in $(seq "$rounds"); do
    for format in ndjson csv; do
        seconds=$(read_with_sqlite "$format")
        # A window is exported only once, so each round copies the log.
        rm -rf "$scratch/copy" && cp -r "$scratch/log" "$scratch/copy"
        "$bench" export "$scratch/copy" "$scratch/exports$round" --format "$format" >"$scratch/result"
        awk -v sqlite="$seconds" '{ printf "%-8s %10d %14.0f %14.0f %8.2f %8d\n", $1, $2, $2 / sqlite, $2 / $3, sqlite / $3, $5 }' \
            "$scratch/result"
    done
done
