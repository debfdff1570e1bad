#!/bin/sh
# The files in deploy/ are valid for the tools that read them, and their metrics and proxies fit a server.
# Packages: curl python3 python3-venv nginx-light haproxy caddy
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

debug_build fingerpost
exec deploy/check.sh "$fingerpost"
