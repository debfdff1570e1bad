#!/bin/sh
# joserfc and cryptography verify signed tables, and refuse changed ones.
# Packages: python3 python3-venv
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

# joserfc depends on cryptography.
python_tool joserfc 1.8.0 || exit 3
debug_build fingerpost
timeout 300 "$tools/bin/python" Tests/SignedTables/check.py "$fingerpost"
