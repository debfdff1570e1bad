#!/usr/bin/env python3
"""folders.py [TARGET…]: fails if the folders of a target refer to each other in a cycle or contain too many files.
Without arguments, checks all targets in Sources that have Swift files.

A folder refers to another if one of its files names a type that a file of the other declares at its top level. Comments
and string literals do not count. Example: Tests/Structure/folders.py Sources/Engine/LinkRouting
"""

import re
import sys
from pathlib import Path

MOST_FILES = 25
NO_CODE = re.compile(r'//[^\n]*|"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"')
DECLARED = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|final|indirect)\s+)*"
    r"(?:struct|class|enum|protocol|actor|typealias)\s+([A-Z]\w*)", re.M)
NAMED = re.compile(r"\b[A-Z]\w*\b")


def references(target):
    """Returns {folder: {other folder: an example}} and {folder: number of files}."""
    code = {path: NO_CODE.sub("", path.read_text()) for path in sorted(target.rglob("*.swift"))}
    home = {}
    for path, text in code.items():
        for name in DECLARED.findall(text):
            home.setdefault(name, path)
    edges, sizes = {}, {}
    for path, text in code.items():
        folder = path.parent
        sizes[folder] = sizes.get(folder, 0) + 1
        for name in set(NAMED.findall(text)):
            if name in home and home[name].parent != folder:
                edges.setdefault(folder, {}).setdefault(home[name].parent, f"{path.name} names {name}")
    return edges, sizes


def circle(edges):
    """Returns the folders of a cycle in order, or nothing if there is none."""
    done = set()

    def walk(folder, way):
        if folder in way:
            return way[way.index(folder):]
        if folder not in done:
            for other in edges.get(folder, ()):
                if found := walk(other, way + [folder]):
                    return found
            done.add(folder)
        return None

    for folder in edges:
        if found := walk(folder, []):
            return found
    return None


def main(targets):
    if not targets:
        sources = Path(__file__).resolve().parents[2] / "Sources"
        targets = [target for target in sorted(sources.glob("*/*")) if any(target.rglob("*.swift"))]
    faults = 0
    for target in map(Path, targets):
        edges, sizes = references(target)
        if not sizes:
            sys.exit(f"{target}: no Swift file; name a folder such as Sources/Engine/LinkRouting.")
        if found := circle(edges):
            faults += 1
            print(f"{target}: folders refer to each other in a circle; move a type, or turn a reference round:")
            for folder, other in zip(found, found[1:] + found[:1]):
                print(f"    {folder.relative_to(target)} → {other.relative_to(target)}: {edges[folder][other]}")
        for folder, size in sizes.items():
            if size > MOST_FILES:
                faults += 1
                print(f"{folder}: {size} files, at most {MOST_FILES}; split it by what its types are for.")
    print(f"{len(targets)} targets, {faults} faults")
    sys.exit(1 if faults else 0)


main(sys.argv[1:])
