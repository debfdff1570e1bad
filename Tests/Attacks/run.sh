#!/bin/sh
# run.sh BINARY [--only NAME] [--seconds N] [--short]: starts BINARY with the demo tenants on free loopback ports and
# attacks it while well-behaved clients send requests. Prints a table; exits with 1 if a limit was exceeded. Needs
# slowhttptest, and nginx, Caddy and HAProxy for the attacks through a proxy. `--list` prints the attacks. Called by
# ./dev attack.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
command -v slowhttptest >/dev/null || { echo 'run.sh: slowhttptest is missing: apt-get install slowhttptest' >&2; exit 69; }
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/attacks.py" "$@"
