#!/usr/bin/env python3
"""check.py FINGERPOST MODULES [--kotlin JARS]: generated screens compile.

The languages are Swift, Kotlin and TypeScript. Generates the screens of the five example tenants, of the table with awkward
names, and of a table with 300 screens. For each of them, a switch with all screens must compile, and one that lacks a screen
must not. The code of a table
with hostile texts must not depend on its notes, and must read its texts. MODULES is the folder with the built module
LinkRouting, JARS a folder with a Kotlin compiler. A missing compiler is reported as SKIPPED, and the exit code
is then 3. Example: Tests/TypedScreens/check.py .build/debug/fingerpost .build/debug/Modules
"""

import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

from compilers import compile_kotlin, fail, kotlin_folder, run
from hostile import Hostile

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ["sample", "blogs", "taxi", "shop", "magazine"]


def big_table():
    """A table with 300 screens; every type occurs."""
    types = ["string", "int?", "number", "bool?", "uuid", "date?", "(a,b,c)", "list(string)", "list(int)?", "json?"]
    screens = {
        f"Screen{number}": {
            "note": f"Screen number {number}.",
            "arguments": {f"argument{index}": types[(number + index) % len(types)] for index in range(number % 6)},
        }
        for number in range(300)
    }
    return {"formatVersion": 1, "tenant": "big", "table": {"screens": screens, "routes": []}}


def names(swift):
    """The cases of a generated Swift enum, without their payload."""
    body = swift[swift.index("RoutedScreen {"):]
    return re.findall(r"^    case (`?[^\s(=]+`?)(?=\(|$)", body, re.M)


def kotlin_names(code):
    return re.findall(r"^    (data class|object) ([^\s(:]+)", code, re.M)


class Languages:
    def __init__(self, fingerpost, modules, kotlin, folder):
        self.fingerpost, self.modules, self.kotlin, self.folder = fingerpost, modules, kotlin, folder
        self.skipped = []

    def generate(self, language, table, extension):
        path = self.folder / f"{table.stem}.{extension}"
        command = [self.fingerpost, "codegen", language, table, "--name", f"{table.stem.capitalize()}Screen",
                   "--package", f"links.{table.stem}", "--out", path]
        result = run(command)
        if result.returncode != 0:
            fail(f"{language} for {table.name}: {result.stderr}")
        return path

    def require(self, what, complete, incomplete, compile):
        """`complete` must compile, and `incomplete` must not."""
        result = compile(complete)
        if result.returncode != 0:
            fail(f"{what} does not compile:\n{result.stdout}{result.stderr}")
        if compile(incomplete).returncode == 0:
            fail(f"{what}: a switch without one of the screens compiles.")

    def swift(self, tables):
        for table in tables:
            path = self.generate("swift", table, "swift")
            name, cases = f"{table.stem.capitalize()}Screen", names(path.read_text())
            def switch(cases):
                lines = "\n".join(f"    case .{case}: {index}" for index, case in enumerate(cases))
                return f"func number(_ screen: {name}) -> Int {{\n    switch screen {{\n{lines}\n    }}\n}}\n"
            self.require(
                f"Swift for {table.name} ({len(cases)} screens)", switch(cases), switch(cases[1:]) if len(cases) > 1 else "!",
                lambda text: self.compile_swift(path, text))
            print(f"swift      {table.stem:10} {len(cases):4} screens")

    def compile_swift(self, path, switch):
        use = self.folder / "Use.swift"
        use.write_text(switch)
        return run(["swiftc", "-typecheck", "-swift-version", "6", "-warnings-as-errors", "-package-name", "app",
                    "-I", self.modules, path, use])

    def typescript(self, tables):
        if shutil.which("tsc") is None:
            return self.skip("TypeScript: tsc is missing; install the package node-typescript.")
        for table in tables:
            path = self.generate("typescript", table, "ts")
            name = f"{table.stem.capitalize()}Screen"
            screens = [json.loads(text) for text in
                       re.findall(r'^    \| \{ readonly screen: ("(?:[^"\\]|\\.)*");', path.read_text(), re.M)]
            def switch(screens):
                lines = "\n".join(f"        case {json.dumps(text)}: return {index};" for index, text in enumerate(screens))
                return (f'import {{ {name} }} from "./{path.stem}";\n'
                        f"export function number(screen: {name}): number {{\n    switch (screen.screen) {{\n{lines}\n"
                        "    }\n}\n")
            def compile(text):
                use = self.folder / "use.ts"
                use.write_text(text)
                return run(["tsc", "--strict", "--noEmit", "--noUnusedLocals", "--noUncheckedIndexedAccess",
                            "--exactOptionalPropertyTypes", "--target", "es2022", "--moduleResolution", "node", use])
            self.require(f"TypeScript for {table.name}", switch(screens), switch(screens[1:]), compile)
            print(f"typescript {table.stem:10} {len(screens):4} screens")

    def typescript_runs(self, table):
        """The generated code reads an answer."""
        if shutil.which("tsc") is None or shutil.which("node") is None:
            return
        result = run(["tsc", "--strict", "--target", "es2020", "--module", "commonjs", "--outDir", self.folder / "js",
                      self.folder / f"{table.stem}.ts"])
        if result.returncode != 0:
            fail(result.stdout)
        answer = run([self.fingerpost, "resolve", "yourapp://product/7", "--table", table, "--json"]).stdout
        code = (f"const {{ ShopScreenPath }} = require('{self.folder}/js/{table.stem}.js');"
                f"console.log(JSON.stringify(ShopScreenPath({answer.strip()})))")
        found = run(["node", "-e", code])
        wanted = '[{"screen":"Home","arguments":{}},{"screen":"ProductDetail","arguments":{"id":7}}]\n'
        if found.stdout != wanted:
            fail(f"TypeScript reads {found.stdout}{found.stderr}, not {wanted}")
        print("typescript shop reads an answer")

    def kotlin_all(self, tables, hostile):
        if self.kotlin is None or shutil.which("java") is None:
            return self.skip("Kotlin: a compiler or a JVM is missing.")
        files, wrong = [], []
        for table in tables:
            path = self.generate("kotlin", table, "kt")
            name, screens = f"{table.stem.capitalize()}Screen", kotlin_names(path.read_text())
            def switch(screens):
                lines = "\n".join(
                    f"    {'is ' if kind == 'data class' else ''}{name}.{screen} -> {index}"
                    for index, (kind, screen) in enumerate(screens))
                return f"package use.{table.stem}\nimport links.{table.stem}.{name}\nfun number(screen: {name}): Int = when (screen) {{\n{lines}\n}}\n"
            use, without = self.folder / f"Use{table.stem}.kt", self.folder / f"Without{table.stem}.kt"
            use.write_text(switch(screens))
            without.write_text(switch(screens[1:]))
            files += [path, use]
            wrong.append(without)
            print(f"kotlin     {table.stem:10} {len(screens):4} screens")
        result = compile_kotlin(self.kotlin, files + hostile.kotlin_files(), self.folder / "classes")
        if result.returncode != 0:
            fail(f"Kotlin does not compile:\n{result.stdout}{result.stderr}")
        hostile.kotlin(self.kotlin, self.folder / "classes")
        result = compile_kotlin(self.kotlin, files[::2] + wrong, self.folder / "wrong")
        missing = [file.name for file in wrong if file.name not in result.stderr]
        if result.returncode == 0 or missing:
            fail(f"Kotlin: a 'when' without one of the screens compiles: {missing}\n{result.stderr}")

    def skip(self, message):
        print(f"SKIPPED: {message}")
        self.skipped.append(message)


def main():
    arguments = sys.argv[1:]
    kotlin = kotlin_folder(arguments)
    if len(arguments) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        big = folder / "big.json"
        big.write_text(json.dumps(big_table()))
        awkward = ROOT / "Tests/Engine/ScreenCodeTests/Expected/awkward.json"
        tables = [ROOT / f"config/examples/{name}.yaml" for name in EXAMPLES] + [awkward, big]
        languages = Languages(Path(arguments[0]).resolve(), Path(arguments[1]).resolve(), kotlin, folder)
        hostile = Hostile(languages)
        languages.swift(tables)
        hostile.swift()
        languages.typescript(tables)
        languages.typescript_runs(tables[3])
        hostile.typescript()
        languages.kotlin_all(tables, hostile)
        sys.exit(3 if languages.skipped else 0)


main()
