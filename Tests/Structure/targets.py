#!/usr/bin/env python3
"""targets.py [--write]: compares the drawing and the table of the targets in docs/architecture.md with Package.swift, or
writes the drawing.

Fails also if a target is used against the order of the rooms: Engine uses nothing of Service or TestTools, and in Service
only the program `fingerpost` uses TestTools. Example: Tests/Structure/targets.py --write
"""

import json
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path("docs/architecture.md")
ROW = re.compile(r"^\| ([A-Za-z]+) \|", re.M)
BLOCK = re.compile(r"(?<=<!-- targets -->\n).*?(?=<!-- end -->)", re.S)
MAY_USE = {"Engine": {"Engine"}, "Service": {"Engine", "Service"}, "TestTools": {"Engine", "Service", "TestTools"}}


def targets():
    """Returns {target: (room, its own dependencies)} of all Swift targets in Sources."""
    manifest = json.loads(subprocess.run(["swift", "package", "dump-package"], check=True, capture_output=True).stdout)
    found = {}
    for target in manifest["targets"]:
        folders = (target.get("path") or "").split("/")
        if folders[0] == "Sources" and any(Path(target["path"]).rglob("*.swift")):
            names = [list(dependency.values())[0][0] for dependency in target["dependencies"]]
            found[target["name"]] = (folders[1], names)
    return {name: (room, [other for other in uses if other in found]) for name, (room, uses) in found.items()}


def reduced(found):
    """Yields the uses that do not follow from others."""
    def below(name):
        return {other for use in found[name][1] for other in {use} | below(use)}

    for name, (_, uses) in found.items():
        for use in sorted(uses):
            if not any(use in below(other) for other in uses):
                yield name, use


def drawing(found):
    yield "```mermaid\nflowchart TD"
    for room in MAY_USE:
        yield f"    subgraph {room}\n        {' & '.join(sorted(n for n, (r, _) in found.items() if r == room))}\n    end"
    for name, use in reduced(found):
        yield f"    {name} --> {use}"
    yield "```\n"


def main(arguments):
    found = targets()
    faults = [
        f"{name} of {room} may not use {use} of {found[use][0]}"
        for name, (room, uses) in found.items() for use in uses
        if found[use][0] not in MAY_USE[room] and name != "fingerpost"
    ]
    text, wanted = PAGE.read_text(), "\n".join(drawing(found))
    if arguments == ["--write"]:
        PAGE.write_text(BLOCK.sub(lambda _: wanted, text))
    elif [block.group() for block in BLOCK.finditer(text)] != [wanted]:
        faults.append(f"the drawing in {PAGE} differs from Package.swift; run Tests/Structure/targets.py --write")
    rows = ROW.findall(text.split("| target |")[1].split("\n\n")[0])
    faults += [f"{PAGE} has no row for {name}" for name in found if name not in rows]
    faults += [f"{PAGE} has a row for {name}, which Package.swift lacks" for name in rows if name not in found]
    for fault in faults:
        print(fault)
    print(f"{len(found)} targets, {len(faults)} faults")
    sys.exit(1 if faults else 0)


main(sys.argv[1:])
