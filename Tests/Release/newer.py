#!/usr/bin/env python3
"""Turns a copy of the sources into a newer version with one more migration.

    newer.py FOLDER VERSION NEWER
"""
import re
import sys
from pathlib import Path

STATEMENT = '"CREATE TABLE newer_version (id INTEGER PRIMARY KEY) STRICT;"'


def replace(path, pattern, replacement):
    text, count = re.subn(pattern, replacement, path.read_text(), count=1, flags=re.DOTALL)
    if count != 1:
        sys.exit(f"newer.py: {path} has no {pattern}.")
    path.write_text(text)


def main():
    folder, version, newer = Path(sys.argv[1]), *sys.argv[2:]
    build_info = folder / "Sources/Service/fingerpost/System/BuildInfo.swift"
    build_info.write_text(build_info.read_text().replace(f'"{version}', f'"{newer}'))
    # A list of texts, of which the last one is the newest.
    replace(folder / "migrations/Migrations.swift", r"(static let catalog = \[.*?),?\s*\]", rf"\1, {STATEMENT}]")


if __name__ == "__main__":
    main()
