#!/bin/sh
# Landing and problem pages in Chromium as 14 apps' browsers show them: accessible, without other requests and CSP reports.
# Packages: python3 python3-venv chromium
#
# run.sh [FOLDER]: also writes screenshots into FOLDER.
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

command -v chromium >/dev/null || skip 'chromium is missing.'
python_tool axe-playwright-python 0.1.8 || exit 3
debug_build fingerpost
scratch_folder
start_service
timeout 900 "$tools/bin/python" Tests/Landing/landing.py "$public" "$admin" "$key" "$@"
end_service
