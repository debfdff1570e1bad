#!/bin/sh
# DuckDB and chDB, the embedded ClickHouse, read a folder of exports as a table.
# Packages: python3 python3-venv faketime
#
# run.sh [--short]: chDB takes 1 GB of disk; --short leaves it out.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

readers='duckdb chdb'
case ${1:-} in --short) readers=duckdb ;; esac
debug_build fingerpost
for reader in $readers; do
    case $reader in
    duckdb) python_tool duckdb 2.0.0 || exit 3 ;;
    chdb) python_tool chdb 4.4.0 || exit 3 ;;
    esac
    timeout 900 "$tools/bin/python" Tests/Exports/readers.py "$fingerpost" "$reader"
done
