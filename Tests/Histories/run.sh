#!/bin/sh
# 100,000 random editing histories end as a model says.
#
# run.sh [--short]: with --short, 2,000. Each takes about 25 ms on two cores.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

count=100000
case ${1:-} in --short) count=2000 ;; esac
release_build Histories
timeout 7200 "$binaries/Histories" "$count"
