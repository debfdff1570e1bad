#!/usr/bin/env python3
"""renew.py [FILE]: writes Sources/Service/LinkCatalog/Claims/PublicSuffixes+rules.swift from a public_suffix_list.dat.

FILE is that of https://publicsuffix.org/list/public_suffix_list.dat, which states its day in `// VERSION:`, or by default that
of Debian's package publicsuffix, whose version is the day.
"""

import re
import subprocess
import sys
from pathlib import Path

DEBIAN = "/usr/share/publicsuffix/public_suffix_list.dat"
OUTPUT = Path(__file__).parent.parent.parent / "Sources/Service/LinkCatalog/Claims/PublicSuffixes+rules.swift"


def day(text):
    if stated := re.search(r"^// VERSION: (\d{4}-\d\d-\d\d)", text, re.M):
        return stated.group(1)
    version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "publicsuffix"], capture_output=True, text=True, check=True).stdout
    return re.sub(r"^(\d{4})(\d\d)(\d\d).*", r"\1-\2-\3", version)


def reversed_rule(line):
    """`!www.ck` as `ck.!www`, with A-labels."""
    mark = "!" if line.startswith("!") else ""
    labels = [label if label.isascii() else "xn--" + label.encode("punycode").decode() for label in line.removeprefix("!").split(".")]
    labels[0] = mark + labels[0]
    return ".".join(reversed(labels))


def main(file):
    text = Path(file).read_text(encoding="utf-8")
    lines = [line.split()[0].lower() for line in text.splitlines() if line.strip() and not line.startswith("//")]
    rules = sorted({reversed_rule(line) for line in lines}, key=str.encode)
    if not {"com", "uk.co", "ck.*", "ck.!www", "com.appspot"} <= set(rules) or not all(re.fullmatch(r"[a-z0-9.*!-]+", rule) for rule in rules):
        sys.exit(f"{file} is not a public suffix list")
    OUTPUT.write_text(f'''\
// This Source Code Form is subject to the terms of the Mozilla Public
// License, v. 2.0. If a copy of the MPL was not distributed with this
// file, You can obtain one at https://mozilla.org/MPL/2.0/.
//
// The rules of the Public Suffix List, https://publicsuffix.org/list/, without its comments. Written by
// Tests/PublicSuffixes/renew.py; do not edit.
// swift-format-ignore-file

extension PublicSuffixes {{
    /// The day of the list.
    static let date = "{day(text)}"

    /// One rule a line, ascending by bytes, with the labels in reverse order: `*.ck` is `ck.*`, and `!www.ck` is `ck.!www`. A
    /// static string compiles in a tenth of a second; a list of bytes takes ten.
    static let text: StaticString = """
''' + "".join(rule + "\n" for rule in rules) + '''"""
}
''')
    print(f"{len(rules)} rules of {day(text)}")


if len(sys.argv) > 2:
    sys.exit(__doc__)
main(*sys.argv[1:] or [DEBIAN])
