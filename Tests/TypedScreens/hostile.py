"""A table whose texts try to leave their comments, literals and names, and what its generated code must be.

With neutral notes, compilers must make the same of the code, and with it, programs must read the texts of the table.
"""

import json
import os
import re
import shutil
from pathlib import Path

from compilers import fail, run

# Combining, half-width and prepended marks, joiners, line ends, controls, bidirectional controls, and noncharacters.
MARKS = [chr(code) for code in [
    0x301, 0x20E3, 0xFF9E, 0xFF9F, 0x1F3FB, 0xE33, 0xFE0F, 0x600, 0x110BD, 0xD4E, 0x200D, 0x200C, 0x1F1E9, 0x1100,
    0x0A, 0x0D, 0x0B, 0x0C, 0x85, 0x2028, 0x2029, 0x09, 0x00, 0x1B, 0x7F, 0x9B, 0x202A, 0x202B, 0x202C, 0x202D, 0x202E,
    0x2066, 0x2067, 0x2068, 0x2069, 0x200E, 0x200F, 0x61C, 0xFEFF, 0xE0001, 0xE000, 0xFDD0, 0xFFFE, 0xFFFF, 0x10FFFF,
]] + ["\r\n"]
DELIMITERS = ["*/", "/*", "//", '"', "'", "`", "\\", "$", "${x}", "\\(x)", '"""', '"#', "#", "</script>", "\\n", "\\u0041"]
# The note with which an editor of a table ran code on the computer of a developer.
EXPLOIT = '*/\uFF9E; type \uFF9E = any; require("fs").writeFileSync("PWNED", "by a note"); type Z = /*\uFF9E '
# Letters whose upper or lower case has a combining mark, that Kotlin does not know, or beyond 16 bits.
LETTERS = ["\u0390", "\u01F0", "\u0130", "\u00DF", "\u02B0", "\u0663", "\u4E00", "\uFF9E", "\u0D4E", "\u10D0", "\uA7C0", "\U00010400", "\U0001E900", "\U0001DF00"]
# What ends a line of a comment in the generated code.
LINE_ENDS = "\n\v\f\r\x85\u2028\u2029"


def tables(folder):
    """Writes the table and one with neutral notes of as many lines. Returns both, and the screens with a value."""
    screens, cases = {}, []
    for index, mark in enumerate(MARKS):
        note = EXPLOIT.replace("\uFF9E", mark) + " ".join(
            text for delimiter in DELIMITERS
            for text in [mark + delimiter, delimiter + mark, mark.join(delimiter), mark + delimiter + mark])
        name, argument = (f"{letter}{index}x{mark}{mark.join(DELIMITERS[:12])}" for letter in "Sa")
        values = [f"v{number}x{mark}{delimiter}{mark}y" for number, delimiter in enumerate(DELIMITERS)]
        screens[name] = {"note": note, "arguments": {argument: {"type": f"({','.join(values)})", "note": note}}}
        cases += [(name, argument, value) for value in values]
    for index, letter in enumerate(LETTERS):
        screens[f"{letter}{index}x{letter}"] = {"arguments": {letter: {"type": f"(a{letter}a,b{letter}b)", "note": EXPLOIT}}}
        cases.append((f"{letter}{index}x{letter}", letter, f"a{letter}a"))
    # A screen without a route and a note has its name in the comment.
    screens[EXPLOIT] = {}

    def neutral(value):
        if not isinstance(value, dict):
            return value
        return {key: re.sub(f"[^{LINE_ENDS}]", "x", part) if key == "note" else neutral(part) for key, part in value.items()}

    written = []
    # The names have the same length, so that they can be replaced in compiled code.
    for name, content in [("hostile", screens), ("neutral", neutral(screens))]:
        path = folder / f"{name}.json"
        path.write_text(json.dumps({"formatVersion": 1, "tenant": "hostile", "table": {"screens": content, "routes": []}}))
        written.append(path)
    return *written, cases


class Hostile:
    """Checks the code of the table in each language."""

    def __init__(self, languages):
        self.languages = languages
        self.folder = languages.folder
        *self.tables, self.cases = tables(languages.folder)

    def generate(self, language, extension):
        """The code of both tables."""
        return [self.languages.generate(language, table, extension) for table in self.tables]

    def require_equal(self, language, hostile, neutral):
        for name, other in [("neutral", "hostile"), ("Neutral", "Hostile")]:
            neutral = {key.replace(name, other): code.replace(name.encode(), other.encode()) for key, code in neutral.items()}
        if hostile != neutral or not any(hostile.values()):
            fail(f"{language}: a note changes the code.")

    def swift(self):
        code = []
        for path in self.generate("swift", "swift"):
            result = run(["swiftc", "-emit-silgen", "-parse-as-library", "-module-name", "Screens", "-swift-version", "6",
                          "-package-name", "app", "-I", self.languages.modules, path.name], cwd=self.folder)
            if result.returncode != 0:
                fail(f"Swift for hostile texts does not compile:\n{result.stderr}")
            code.append({"": result.stdout.encode()})
        self.require_equal("Swift", *code)
        print(f"swift      hostile    {len(self.cases):4} values")

    def typescript(self):
        if shutil.which("tsc") is None or shutil.which("node") is None:
            return
        library = Path(os.path.realpath(shutil.which("tsc"))).parents[1]
        paths = self.generate("typescript", "ts")
        printed = run(["node", "-e", """
            const ts = require(process.argv[1]), fs = require("fs");
            for (const path of process.argv.slice(2)) {
                const file = ts.createSourceFile("a.ts", fs.readFileSync(path, "utf8"), ts.ScriptTarget.Latest);
                if (file.parseDiagnostics.length > 0) throw new Error(ts.flattenDiagnosticMessageText(file.parseDiagnostics[0].messageText, " "));
                console.log(JSON.stringify(ts.createPrinter({ removeComments: true }).printFile(file)));
            }""", library, *paths])
        if printed.returncode != 0:
            fail(f"TypeScript for hostile texts is not read: {printed.stderr}")
        self.require_equal("TypeScript", *({"": line.encode()} for line in printed.stdout.splitlines()))
        result = run(["tsc", "--strict", "--target", "es2020", "--module", "commonjs", "--outDir", self.folder / "hostilejs", paths[0]])
        if result.returncode != 0:
            fail(f"TypeScript for hostile texts does not compile:\n{result.stdout}")
        cases = self.folder / "cases.json"
        cases.write_text(json.dumps([{"screen": screen, "arguments": {name: value}} for screen, name, value in self.cases]))
        read = run(["node", "-e", """
            const { HostileScreenPath } = require(process.argv[1]), cases = JSON.parse(require("fs").readFileSync(process.argv[2]));
            for (const one of cases) {
                const read = JSON.stringify(HostileScreenPath({ destination: one }));
                if (read !== JSON.stringify([one])) throw new Error(read);
            }
            console.log(cases.length);""", self.folder / "hostilejs" / "hostile.js", cases], cwd=self.folder)
        if read.stdout != f"{len(self.cases)}\n" or (self.folder / "PWNED").exists():
            fail(f"TypeScript does not read the hostile texts: {read.stdout}{read.stderr}")
        print(f"typescript hostile    {len(self.cases):4} values read")

    def kotlin_files(self):
        """The code of both tables, and a program that reads the values."""
        program = self.folder / "ReadHostile.kt"
        program.write_text("""package use.hostile
import links.hostile.HostileScreen
private fun text(hex: String) = String(ByteArray(hex.length / 2) { hex.substring(2 * it, 2 * it + 2).toInt(16).toByte() })
fun main(arguments: Array<String>) {
    val lines = java.io.File(arguments[0]).readLines()
    for (line in lines) {
        val (screen, name, value) = line.split(" ").map(::text)
        val destination = mapOf("screen" to screen, "arguments" to mapOf(name to value))
        val read = HostileScreen.path(mapOf("destination" to destination)).single()
        val option = read.javaClass.declaredFields[0].apply { isAccessible = true }.get(read)
        check(option.javaClass.getMethod("getText").invoke(option) == value) { line }
    }
    println(lines.size)
}
""")
        return [*self.generate("kotlin", "kt"), program]

    def kotlin(self, kotlin, classes):
        """`classes` is the folder with the compiled files."""
        folders = [classes / "links" / table.stem for table in self.tables]
        self.require_equal("Kotlin", *({path.name: path.read_bytes() for path in folder.iterdir()} for folder in folders))
        cases = self.folder / "cases.txt"
        cases.write_text("".join(" ".join(text.encode().hex() for text in case) + "\n" for case in self.cases))
        library = [str(jar) for jar in kotlin.rglob("*.jar") if "kotlin-stdlib" in jar.name]
        read = run(["java", "-cp", ":".join([str(classes), *library]), "use.hostile.ReadHostileKt", cases])
        if read.stdout != f"{len(self.cases)}\n":
            fail(f"Kotlin does not read the hostile texts: {read.stdout}{read.stderr}")
        print(f"kotlin     hostile    {len(self.cases):4} values read")
