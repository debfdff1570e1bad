#!/bin/sh
# 2,000 random histories of short links, with kills and restores, answer and count as a model says.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

# A history leaves 12 MB in memory: the service that it killed.
for first in $(seq 1 100 1901); do
    LINK_HISTORIES=$first-$((first + 99)) timeout 900 ./dev test LinkServerTests.ShortLinkHistoriesTests
done
