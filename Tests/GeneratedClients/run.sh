#!/bin/sh
# Clients that are generated from the OpenAPI documents, without a warning, call a server.
# Packages: python3 python3-venv
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

python_tool datamodel-code-generator 0.89.0 || exit 3
model_tools=$tools
python_tool openapi-python-client 0.29.1 || exit 3
debug_build fingerpost
timeout 900 "$tools/bin/python" Tests/GeneratedClients/generate.py "$fingerpost" "$tools" "$model_tools"
