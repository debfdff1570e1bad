#!/bin/sh
# 2,000 random histories of short links, with kills and restores, answer and count as a model says.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

LINK_HISTORIES=2000 timeout 5400 ./dev test LinkServerTests.ShortLinkHistoriesTests
