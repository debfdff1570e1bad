#!/bin/sh
# run.sh BINARY: starts BINARY with the demo tenants on free loopback ports and tests it with h11, h2, curl, nghttp and
# Node. Needs a Python with h11 and h2 as CLIENTS_PYTHON. Called by ./dev check.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
PYTHONDONTWRITEBYTECODE=1 exec "${CLIENTS_PYTHON:-python3}" "$here/clients.py" "$@"
