#!/usr/bin/env python3
"""Writes the manual page fingerpost(1), made from the help of all commands.

    deploy/release/manual.py BINARY DATE >fingerpost.1

BINARY prints the help of all commands as JSON, and DATE is a day such as 2026-11-30.
"""
import json
import re
import subprocess
import sys

FILES = [
    ("/etc/fingerpost/fingerpost.yaml", "The configuration, with every key and its default."),
    ("/etc/fingerpost/environment", "Secrets of the service as variables, readable by root only."),
    ("/var/lib/fingerpost", "The data directory of the service."),
    ("/usr/share/doc/fingerpost", "The documents, examples of tenant files and suites, and runbooks."),
]


def escaped(text):
    """Text of a line: no character has a meaning for roff."""
    text = text.replace("\\", r"\e").replace("-", r"\-").replace("'", r"\(aq").replace("`", r"\(ga").replace("^", r"\(ha")
    text = text.replace("~", r"\(ti")
    return rf"\&{text}" if text.startswith((".", r"\(aq")) else text


def quoted(text):
    """An argument of a macro."""
    return '"' + escaped(text).replace('"', r"\(dq") + '"'


def discussion(text):
    """Indented lines are examples, and lines in capitals are headings. Empty lines divide paragraphs."""
    lines, literal = [".PP"], False
    for line in text.strip("\n").split("\n"):
        is_example = line.startswith("  ") and line.strip() != ""
        if is_example != literal:
            lines += [".PP", ".RS 4", ".nf"] if is_example else [".fi", ".RE", ".PP"]
            literal = is_example
        if is_example:
            lines.append(escaped(line[2:]))
        elif not line.strip():
            lines.append(".PP")
        elif re.fullmatch(r"[A-Z][A-Z ]+", line.strip()):
            lines += [".PP", rf"\fB{escaped(line.strip().capitalize())}:\fR"]
        else:
            lines.append(escaped(line.strip()))
    lines += [".fi", ".RE"] if literal else []
    lines = [line for i, line in enumerate(lines) if line != ".PP" or lines[i - 1 : i] != [".PP"]]
    return lines[:-1] if lines[-1] == ".PP" else lines


def spelling(name):
    return ("-" if name["kind"] == "short" else "--") + name["name"]


def arguments(command):
    return [a for a in command.get("arguments", []) if a["shouldDisplay"] and a["valueName"] not in ("version", "help")]


def usage(command):
    """The options are listed below, so the line only says that there are any."""
    words = []
    if any(a["kind"] != "positional" for a in arguments(command)):
        words.append(r"[\fIoptions\fR]")
    for argument in arguments(command):
        if argument["kind"] == "positional":
            word = rf"\fI{escaped(argument['valueName'])}\fR" + (r"\~.\|.\|." if argument["isRepeating"] else "")
            words.append(f"[{word}]" if argument["isOptional"] else word)
    if command.get("subcommands"):
        words = [r"\fIcommand\fR"]
    return " ".join([rf"\fB{escaped(' '.join(command['path']))}\fR"] + words)


def entry(argument):
    names = ", ".join(rf"\fB{escaped(spelling(name))}\fR" for name in argument.get("names", []))
    value = rf"\fI{escaped(argument['valueName'])}\fR"
    head = value if argument["kind"] == "positional" else f"{names} {value}" if argument["kind"] == "option" else names
    text = argument.get("abstract", "")
    if argument.get("defaultValue") and "default" not in text:
        text = f"{text} Default: {argument['defaultValue']}.".strip()
    # An empty body would make the next entry part of this one.
    return [".TP", head, escaped(text) or r"\&"]


def walk(command, path):
    command["path"] = path + [command["commandName"]]
    yield command
    for child in command.get("subcommands", []):
        if child["shouldDisplay"] and child["commandName"] != "help":
            yield from walk(child, command["path"])


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    binary, date = sys.argv[1:]
    help_text = subprocess.run([binary, "--experimental-dump-help"], check=True, capture_output=True).stdout
    root = json.loads(help_text)["command"]
    commands = list(walk(root, []))
    overview, _, exit_codes = root["discussion"].partition("EXIT CODES\n")
    if not exit_codes:
        sys.exit("manual.py: the help of fingerpost has no EXIT CODES.")
    out = [
        f".TH FINGERPOST 1 {date} Fingerpost",
        ".nh",
        ".ad l",
        ".SH NAME",
        r"fingerpost \- resolve the links of apps and record every resolution",
        ".SH SYNOPSIS",
        r"\fBfingerpost\fR \fIcommand\fR [\fIoptions\fR]",
        ".br",
        r"\fBfingerpost\fR \fIcommand\fR \fB\-\-help\fR",
        ".br",
        r"\fBfingerpost \-\-version\fR",
        ".SH DESCRIPTION",
        escaped(root["abstract"]),
        *discussion(overview),
        ".SH COMMANDS",
        r"Every command has the option \fB\-\-help\fR (\fB\-h\fR), which prints what is said here.",
    ]
    for command in commands[1:]:
        out += [f".SS {quoted(' '.join(command['path']))}", escaped(command["abstract"])]
        if not command.get("subcommands"):
            out += [".PP", usage(command)]
        if command.get("discussion"):
            out += discussion(command["discussion"])
        for argument in arguments(command):
            out += entry(argument)
    out.append(".SH EXIT STATUS")
    for line in exit_codes.strip("\n").split("\n"):
        code, meaning = line.split(maxsplit=1)
        out += [".TP", rf"\fB{code}\fR", escaped(meaning[0].upper() + meaning[1:] + ".")]
    out.append(".SH FILES")
    for path, meaning in FILES:
        out += [".TP", rf"\fI{escaped(path)}\fR", escaped(meaning)]
    print("\n".join(out))


if __name__ == "__main__":
    main()
