#!/bin/sh
# run.sh BINARY [--only NAME] [--seconds N] [--short]: attacks a service of its own, started from BINARY with the demo tenants on
# free loopback ports, while well-behaved clients ask it; prints a table, and ends with 1 when anything gave way. Needs
# slowhttptest; nginx, caddy and haproxy for what runs behind them. `--list` names the attacks. Called by ./dev attack.
set -eu
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
command -v slowhttptest >/dev/null || { echo 'run.sh: slowhttptest is missing: apt-get install slowhttptest' >&2; exit 69; }
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/attacks.py" "$@"
