#!/usr/bin/env python3
"""check.py FINGERPOST CHECK_JSONSCHEMA: validates files with the schemas that FINGERPOST prints.

All files of config/examples must be valid. Each file in wrong/ must be refused, with the path and the message in its
first line, and FINGERPOST must refuse it too. CHECK_JSONSCHEMA is the command of the package check-jsonschema.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parent
EXAMPLES = FOLDER.parent.parent / "config/examples"
ANY_TABLE = str(EXAMPLES / "shop.yaml")


def is_suite(file):
    return file.name.endswith(".suite.yaml")


def errors(command, schemas, file):
    """Returns the errors of a file as lines."""
    schema = schemas / ("suite.json" if is_suite(file) else "tenant.json")
    run = subprocess.run([command, "--schemafile", schema, "--output-format", "json", file], capture_output=True, text=True)
    report = json.loads(run.stdout)
    found = report.get("errors", []) + report.get("parse_errors", [])
    return [f"{error.get('path')}: {error.get('message')}" for error in found]


def is_refused_by_service(fingerpost, file):
    command = ["test", str(file), "--table", ANY_TABLE] if is_suite(file) else ["check", str(file)]
    return subprocess.run([fingerpost, *command], capture_output=True).returncode != 0


def faults(fingerpost, command, schemas):
    for name in ["tenant", "suite"]:
        text = subprocess.run([fingerpost, "schema", name], capture_output=True, check=True).stdout
        (schemas / f"{name}.json").write_bytes(text)
        if subprocess.run([command, "--check-metaschema", schemas / f"{name}.json"], capture_output=True).returncode:
            yield f"the schema of the {name} file is not a valid schema"
    for file in sorted(EXAMPLES.glob("*.yaml")):
        for error in errors(command, schemas, file):
            yield f"{file.name}: {error}"
    wrong = sorted((FOLDER / "wrong").glob("*.yaml"))
    for file in wrong:
        expected = file.read_text().splitlines()[0].removeprefix("# ")
        found = errors(command, schemas, file)
        print(f"{file.name}: {'; '.join(found)}")
        if found != [expected]:
            yield f"{file.name}: expected {expected}"
        if not is_refused_by_service(fingerpost, file):
            yield f"{file.name}: the service accepts it"
    print(f"{len(list(EXAMPLES.glob('*.yaml')))} examples, {len(wrong)} wrong files")


def main(fingerpost, command):
    with tempfile.TemporaryDirectory() as folder:
        found = list(faults(fingerpost, command, Path(folder)))
    for fault in found:
        print(fault)
    sys.exit(1 if found else 0)


if len(sys.argv) != 3:
    sys.exit(__doc__)
main(*sys.argv[1:])
