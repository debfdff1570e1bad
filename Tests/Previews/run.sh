#!/bin/sh
# linkpreview and extruct read the intended previews, and the User-Agents of public lists are classed as docs say.
# Packages: python3 python3-venv
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

packages=''
for package in linkpreview=0.13.2 extruct=0.18.0 crawler-user-agents=1.67.0 fake-useragent=2.2.0; do
    python_tool "${package%=*}" "${package#*=}" || exit 3
    packages=$packages:$(echo "$tools"/lib/python3*/site-packages)
done
debug_build fingerpost
PYTHONPATH=${packages#:} timeout 900 "$tools/bin/python" Tests/Previews/previews.py "$fingerpost"
