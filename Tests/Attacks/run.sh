#!/bin/sh
# The limits of docs/security.md hold while attackers and well-behaved clients send requests.
# Packages: python3 python3-venv slowhttptest openssl
# Packages without --short: nginx-light caddy haproxy
#
# run.sh [--only NAME] [--seconds N] [--short] [--list]: starts a release build with the demo tenants on free loopback
# ports, attacks it, and prints a table. --short takes a minute. Exits with 1 if a limit was exceeded.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

# Without this package the HTTP/2 floods are reported as skipped.
if python_tool h2 4.4.1; then
    ATTACK_PYTHON=$tools/bin/python
    export ATTACK_PYTHON
fi
command -v slowhttptest >/dev/null || skip 'slowhttptest is missing; install the package of this name.'
release_build fingerpost
exec python3 Tests/Attacks/attacks.py "$fingerpost" "$@"
