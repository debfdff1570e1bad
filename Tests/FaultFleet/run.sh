#!/bin/sh
# Three nodes answer every link while PostgreSQL, its standby, nodes and clocks fail.
# Packages: postgresql python3 faketime
#
# run.sh [--short | --controls]: FAULT_SEEDS random runs (50) of about half a minute; --short is one run of a minute with
# every fault. --controls builds the service once with each patch of the folder controls, which removes one rule of shipping;
# each must fail in a run with every fault. The long form does that at last.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

seeds=${FAULT_SEEDS:-50}
form=${1:-}
[ "$form" = '' ] || seeds=0

bin=${POSTGRESQL_BIN:-$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)}
[ -n "$bin" ] || skip 'PostgreSQL is missing; install the package postgresql.'
command -v faketime >/dev/null || skip 'faketime is missing; install the package faketime.'
scratch_folder
export PYTHONPATH=Tests/PostgresStorage

# run NAME: the runs in a folder of this name.
run() {
    mkdir "$scratch/$1"
    [ "$(id -u)" -ne 0 ] || { chown postgres "$scratch" "$scratch/$1"; chmod 711 "$scratch" "$scratch/$1"; }
    timeout $((300 + 90 * seeds)) python3 Tests/FaultFleet/fleet.py "$fingerpost" "$bin" "$scratch/$1" "$seeds"
}

if [ "$form" != --controls ]; then
    debug_build fingerpost
    run fleet
    [ "$form" = '' ] || exit 0
fi
seeds=0
# One folder for all controls, so that each compiles only what its patch changes.
tree=$root/.build/controls
mkdir -p "$tree"
for patch in "$root"/Tests/FaultFleet/controls/*.patch; do
    name=$(basename "$patch" .patch)
    git ls-files -z | tar -c --null -T - | tar -x -C "$tree"
    git apply --directory=.build/controls "$patch"
    (cd "$tree" && swift build --product fingerpost >&2)
    fingerpost=$tree/.build/debug/fingerpost
    run "$name" >"$scratch/$name.log" 2>&1 && fail "the faults did not find the missing rule of $patch."
    echo "control $name: $(tail -n 1 "$scratch/$name.log")"
done
