#!/bin/sh
# Folders of a target have no cycles, targets and their drawing agree, and what docs/architecture.md names exists.
set -eu
cd "$(dirname "$0")/../.."

Tests/Structure/folders.py
Tests/Structure/targets.py
Tests/Structure/walks.py docs/architecture.md
