#!/bin/sh
# 500 QR codes of all sizes, levels and colours decode to the exact link, with ZBar and ZXing.
# Packages: python3 python3-venv librsvg2-bin zbar-tools
set -eu
cd "$(dirname "$0")/../.."
. Tests/part.sh

debug_build fingerpost
python_tool pillow 13.0.0 || exit 3
pillow=$(echo "$tools"/lib/python3*/site-packages)
python_tool zxing-cpp 3.1.1 || exit 3
PYTHONPATH=$pillow timeout 900 "$tools/bin/python" Tests/QRCodes/check.py "$fingerpost" "$@"
