#!/bin/sh
# The console in Chromium: its tasks with script, without and by keyboard, counting clicks and keys; accessible, without other
# requests and CSP reports.
# Packages: python3 python3-venv chromium
#
# run.sh [--short | --pictures] [FOLDER]: also writes screenshots into FOLDER. --short leaves out the tasks without script and by
# keyboard; --pictures only takes those of the documents.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

command -v chromium >/dev/null || skip 'chromium is missing.'
python_tool axe-playwright-python 0.1.8 || exit 3
debug_build fingerpost
scratch_folder
start_service
timeout 1200 "$tools/bin/python" Tests/Console/console.py "$fingerpost" "$public" "$admin" "$key" "$@"
end_service
