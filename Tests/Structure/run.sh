#!/bin/sh
# Folders of a target have no cycles, and the files and functions that docs/architecture.md names exist.
set -eu
cd "$(dirname "$0")/../.."

Tests/Structure/folders.py
Tests/Structure/walks.py docs/architecture.md
