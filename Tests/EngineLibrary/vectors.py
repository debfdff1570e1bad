#!/usr/bin/env python3
"""vectors.py split VECTORS FOLDER: writes the tenant and the requests of each group of resolutions into FOLDER.
vectors.py compare VECTORS FOLDER NAME: compares the answers in the files *.NAME of FOLDER with the vectors.

The resolutions of `fingerpost conformance export` as input of programs that use the C library. Example:
Tests/EngineLibrary/vectors.py split vectors.json groups
"""

import json
import sys
from pathlib import Path


def split(groups, folder):
    folder.mkdir()
    for index, group in enumerate(groups):
        tenant = {"formatVersion": 1, "tenant": group["tenant"], "settings": group["settings"], "table": group["table"]}
        (folder / f"{index:02}.json").write_text(json.dumps(tenant, ensure_ascii=False))
        requests = [
            {"url": case["link"], "context": case["context"]} | ({"explain": True} if case.get("explain") else {})
            for case in group["cases"]
        ]
        lines = [json.dumps(request, ensure_ascii=False) for request in requests]
        (folder / f"{index:02}.requests").write_text("\n".join(lines) + "\n")


def compare(groups, folder, name):
    count = 0
    for index, group in enumerate(groups):
        lines = (folder / f"{index:02}.{name}").read_text().splitlines()
        if len(lines) != len(group["cases"]):
            sys.exit(f"vectors.py: {name} printed {len(lines)} answers for {group['name']}, not {len(group['cases'])}")
        for line, case in zip(lines, group["cases"]):
            answer = json.loads(line)
            # The vectors do not have the warnings about unreadable values of a context.
            answer.pop("warnings", None)
            if answer != case["answer"]:
                sys.exit(f"vectors.py: {name}: {group['name']}: {case['link']}\n  {line}\n  {json.dumps(case['answer'])}")
            count += 1
    if count == 0:
        sys.exit("vectors.py: there is no answer.")
    print(f"{name}: {count} answers are those of the vectors")


command, vectors, folder = sys.argv[1], json.loads(Path(sys.argv[2]).read_text()), Path(sys.argv[3])
if command == "split":
    split(vectors["resolutions"], folder)
else:
    compare(vectors["resolutions"], folder, sys.argv[4])
