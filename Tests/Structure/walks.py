#!/usr/bin/env python3
"""walks.py PAGE…: fails if a page names a source file that does not exist, or a function that its file does not have.

A page names a file as `HTTPTransport/HTTP1/HTTP1ResponseWriter.swift`, relative to Sources/, and a function of it as the
next name in backticks on the same line. Example: Tests/Structure/walks.py docs/architecture.md
"""

import re
import sys
from pathlib import Path

STEP = re.compile(r"`([\w+/]+/[\w+]+\.swift)`(?: `(\w+)`)?")


def faults(page):
    text = Path(page).read_text()
    steps = STEP.findall(text)
    if not steps:
        yield f"{page} names no source file"
    for file, function in steps:
        path = next(Path("Sources").glob(f"*/{file}"), Path(file))
        if not path.exists():
            yield f"{page}: Sources/{file} does not exist"
        elif function and not re.search(rf"\b(?:func|var|let) {function}\b", path.read_text()):
            yield f"{page}: Sources/{file} has no '{function}'"


def main(pages):
    if not pages:
        sys.exit(__doc__)
    found = [fault for page in pages for fault in faults(page)]
    for fault in found:
        print(fault)
    print(f"{len(pages)} pages, {len(found)} faults")
    sys.exit(1 if found else 0)


main(sys.argv[1:])
