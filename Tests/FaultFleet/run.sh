#!/bin/sh
# Three nodes answer every link while PostgreSQL, its standby, nodes and clocks fail.
# Packages: postgresql python3 faketime
#
# run.sh [--short]: FAULT_SEEDS random runs (50) of about half a minute; --short is one run of a minute with every fault.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

seeds=${FAULT_SEEDS:-50}
case ${1:-} in --short) seeds=0 ;; esac

bin=${POSTGRESQL_BIN:-$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)}
[ -n "$bin" ] || skip 'PostgreSQL is missing; install the package postgresql.'
command -v faketime >/dev/null || skip 'faketime is missing; install the package faketime.'
debug_build fingerpost
scratch_folder
[ "$(id -u)" -ne 0 ] || { chown postgres "$scratch"; chmod 711 "$scratch"; }
export PYTHONPATH=Tests/PostgresStorage
timeout $((300 + 90 * seeds)) python3 Tests/FaultFleet/fleet.py "$fingerpost" "$bin" "$scratch" "$seeds"
