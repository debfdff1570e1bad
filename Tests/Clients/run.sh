#!/bin/sh
# h11, h2, curl, nghttp and Node send requests to all ports, and detect extra or missing bytes.
# Packages: python3 python3-venv curl nghttp2-client nodejs openssl
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

python_tool h2 4.4.1 || exit 3
h2_packages=$(echo "$tools"/lib/python3*/site-packages)
h11=0.16.0
python_tool h11 "$h11" || exit 3
for tool in curl nghttp node openssl; do
    command -v "$tool" >/dev/null || skip "$tool is missing."
done
debug_build fingerpost
# The clients from Debian have the versions of the system.
echo "h11 $h11, h2 ${h2_packages##*h2-}, $(curl --version | sed -n '1s/ (.*//p'), $(nghttp --version), node $(node --version)"
PYTHONPATH=$h2_packages timeout 600 "$tools/bin/python" Tests/Clients/clients.py "$fingerpost"
