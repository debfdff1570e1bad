#!/bin/sh
# Generated screens compile in Swift, Kotlin and TypeScript.
# Packages: python3 python3-venv node-typescript default-jre-headless
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

debug_build fingerpost
find_kotlin
timeout 900 python3 Tests/TypedScreens/check.py "$fingerpost" "$binaries/Modules" ${kotlin:+--kotlin "$kotlin"}
