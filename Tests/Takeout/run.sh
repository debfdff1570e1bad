#!/bin/sh
# A Takeout file of Firebase with 400,000 rows is imported in two minutes, with little memory, and its links work.
# Packages: python3
#
# run.sh [--short]: with --short, 20,000 rows.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

rows=400000
case ${1:-} in --short) rows=20000 ;; esac
release_build fingerpost
timeout 1200 python3 Tests/Takeout/takeout.py "$fingerpost" "$rows"
