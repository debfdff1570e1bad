"""What a program offers to others, one fact per line: that of a kept version may only grow.

A line is "PLACE: FACT". A later version has all lines, except that a demand ("needs") may end, and may not begin at a place that exists.
"""

import json
import os
import re
import tempfile

from service import Service, run

# The first words of lines that a later version may change, and why, such as "0.4 lists it under Removed".
REMOVED = {}
# Documents of the caller, which many operations have: they name them, and each is described once, as it is sent.
SHARED = ["Table", "Settings", "Suite", "Route", "RouteContent"]
HERE = os.path.dirname(os.path.abspath(__file__))
JSON_TYPES = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object", type(None): "null"}


class Shape:
    """All alternatives of a schema as one. `sent`: of what a caller sends, otherwise of what it gets."""

    def __init__(self, document, sent):
        self.document, self.sent = document, sent
        self.types, self.values, self.members = set(), set(), {}

    def add(self, schema, above):
        """Returns the members that an object must have, or nothing if it is no object."""
        if not isinstance(schema, dict):
            return set()
        members = schema.get("properties", {}) | {"[]": schema.get("items"), "{}": schema.get("additionalProperties")}
        for member, part in members.items():
            if part not in (None, False):
                self.members.setdefault(member, []).append((part, above))
        values = schema.get("enum", []) + ([schema["const"]] if "const" in schema else [])
        self.values.update(json.dumps(value) for value in values)
        types = schema.get("type") or [JSON_TYPES[type(value)] for value in values]
        types = {types} if isinstance(types, str) else set(types)
        self.types |= types
        all_of = [self.add(part, above) for part in schema.get("allOf", [])]
        if name := schema.get("$ref"):
            *_, group, word = name.split("/")
            if name in above or group == "schemas" and word in SHARED:
                self.types.add("a " + word)
            else:
                group = self.document["$defs"] if group == "$defs" else self.document["components"][group]
                all_of.append(self.add(group[word], (*above, name)))
        if alternatives := [self.add(part, above) for part in schema.get("anyOf", []) + schema.get("oneOf", [])]:
            found = [members for members in alternatives if members is not None]
            # A new alternative is no new demand.
            all_of.append((set.intersection if self.sent else set.union)(*found) if found else None)
        for word in ["then", "else"]:
            self.add(schema.get(word), above)
        if types and "object" not in types or None in all_of:
            return None
        return set(schema.get("required", [])).union(*all_of)


def facts(document, schemas, place, sent):
    """The facts of a place with some schemas."""
    shape = Shape(document, sent)
    required = set().union(*(shape.add(schema, above) or set() for schema, above in schemas))
    types = sorted(shape.types or {"any"})
    yield from (f"{place}: takes {name}" for name in types) if sent else [f"{place}: is {' or '.join(types)}"]
    yield from (f"{place}: value {value}" for value in shape.values)
    yield from (f"{place}: {'needs' if sent else 'always has'} {name}" for name in required)
    for name, parts in shape.members.items():
        yield from facts(document, parts, place + (name if name in ("[]", "{}") else "." + name), sent)


def operations(document, port):
    for path, item in document["paths"].items():
        for method in item.keys() & {"get", "put", "post", "delete", "head", "options", "patch"}:
            operation = item[method]
            place = f"{port} {method.upper()} {re.sub(r'{.*?}', '{}', path)}"
            yield f"{place}: exists"
            for parameter in item.get("parameters", []) + operation.get("parameters", []):
                if "$ref" in parameter:
                    parameter = document["components"]["parameters"][parameter["$ref"].split("/")[-1]]
                if parameter["in"] != "path":
                    name = f"{parameter['in']} {parameter['name']}"
                    yield from facts(document, [(parameter["schema"], ())], f"{place} {name}", True)
                    if parameter.get("required"):
                        yield f"{place}: needs {name}"
            body = operation.get("requestBody", {"content": {}})
            if body.get("required"):
                yield f"{place}: needs body"
            yield from (f"{place}: takes {media}" for media in body["content"])
            yield from facts(document, [(content.get("schema"), ()) for content in body["content"].values()], place + " body", True)
            for status, answer in operation["responses"].items():
                yield f"{place}: answers {status}"
                for media, content in answer.get("content", {}).items():
                    if media == "application/problem+json":
                        codes = content["schema"]["properties"]["code"]["enum"]
                        yield from (f"problem {code}: has the status {status}" for code in codes)
                    else:
                        yield f"{place} {status}: answers {media}"
                        name = f"{place} {status} {media}".removesuffix(" application/json")
                        yield from facts(document, [(content.get("schema"), ())], name, False)
    schemas = document["components"]["schemas"]
    yield from facts(document, [(schemas["Problem"], ())], f"{port} problem", False)
    for name in SHARED:
        if name in schemas:
            yield from facts(document, [(schemas[name], ())], f"{port} {name}", True)


def commands(command, above=""):
    place = f"{above} {command['commandName']}".strip()
    yield f"{place}: exists"
    number = 0
    for argument in command.get("arguments", []):
        names = [("-" if name["kind"] == "short" else "--") + name["name"] for name in argument.get("names", [])]
        if argument["kind"] == "positional":
            number += 1
            names = [f"argument {number}"]
        kind = {"positional": "", "flag": "", "option": " with a value"}[argument["kind"]]
        if names[-1] not in ("--help", "--version"):
            yield from (f"{place}: takes {name}{kind}{' repeatedly' * argument['isRepeating']}" for name in names)
        yield from (f"{place} {names[-1]}: value {value}" for value in argument.get("allValues", []))
        if not argument["isOptional"]:
            yield f"{place}: needs {names[-1]}"
    for each in command.get("subcommands", []):
        if each["shouldDisplay"]:
            yield from commands(each, place)


def configuration(text, reference):
    """The keys of the effective configuration, with the types that the reference names."""
    types, above = dict(re.findall(r"(?m)^\| `([\w.]+)` \| (\w+) \|", reference.partition("## Configuration")[2])), []
    for indent, key, value in re.findall(r"(?m)^( *)(\w+):(.*)$", text):
        above = above[: len(indent) // 2] + [key]
        if value:
            yield f"configuration {'.'.join(above)}: is {types['.'.join(above)]}"


def metrics(text, documentation):
    """What a new server answers, and the labels in the documentation, which also has metrics that come later."""
    yield from (f"metric {name}: is a {kind}" for name, kind in re.findall(r"(?m)^# TYPE (\w+) (\w+)", text))
    for name, labels in re.findall(r"`(fingerpost_\w+)(?:{([\w,]+)})?`", documentation):
        yield f"metric {name}: exists"
        yield from (f"metric {name}: has the label {label}" for label in labels.split(",") if label)


def lines(program):
    with tempfile.TemporaryDirectory() as scratch:
        key = run(program, "keys", "create", "--init", "--data", scratch + "/data", "--name", "test key", "--scope", "admin").strip()
        service = Service(program, scratch + "/data", key=key)
        found = set()
        for port in ["public", "admin"]:
            found.update(operations(service.ask(port, "GET", "/openapi.json").json, port))
        with open(HERE + "/../../docs/operations.md") as file:
            found.update(metrics(service.ask("ops", "GET", "/metrics").text, file.read()))
        service.stop()
    words, reference = run(program, "--experimental-dump-help"), run(program, "schema", "--format", "markdown")
    found.update(commands(json.loads(words)["command"]))
    found.update(configuration(run(program, "config"), reference))
    found.update(f"variable {name}: exists" for name in re.findall(r"FINGERPOST_[A-Z0-9_]+\b", words + reference))
    for name in ["tenant", "suite"]:
        schema = json.loads(run(program, "schema", name))
        found.update(facts(schema, [(schema, ())], "file of a " + name, True))
    return found


def breaks(kept, now):
    """What a program takes from callers of a kept version (-), and what it newly demands of them (+)."""
    places = {line.partition(": ")[0] for line in kept}
    lost = {"- " + line for line in kept - now if ": needs " not in line}
    demands = {"+ " + line for line in now - kept if ": needs " in line and line.partition(": ")[0] in places}
    return sorted(line for line in lost | demands if not line[2:].startswith(tuple(REMOVED)))
