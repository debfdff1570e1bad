#!/bin/sh
# check-jsonschema accepts the examples with the printed JSON Schemas, and refuses wrong files.
# Packages: python3 python3-venv
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

python_tool check-jsonschema 0.39.0 || exit 3
debug_build fingerpost
timeout 900 Tests/Schemas/check.py "$fingerpost" "$tools/bin/check-jsonschema"
