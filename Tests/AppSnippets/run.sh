#!/bin/sh
# The code of docs/app.md and of the articles compiles, and the sample app is up to date.
# Packages: python3 python3-venv default-jre-headless
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

debug_build fingerpost LinkClient
find_kotlin
timeout 600 python3 Tests/AppSnippets/check.py "$fingerpost" "$binaries/Modules" ${kotlin:+--kotlin "$kotlin"}
