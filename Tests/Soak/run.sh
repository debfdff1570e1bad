#!/bin/sh
# Half an hour of all functions does not make resources grow.
# Packages: python3
#
# run.sh [--minutes N] [--csv FILE]
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

release_build fingerpost
exec python3 Tests/Attacks/soak.py "$fingerpost" "$@"
