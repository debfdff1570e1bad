#!/usr/bin/env python3
"""check.py FINGERPOST MODULES [--kotlin JARS]: the code of the docs for apps compiles, and the sample app is up to date.

DocC also converts the articles, and finds what they link to.

Reads docs/app.md and the articles of LinkClient and LinkRouting. All Swift blocks of a page are one module, together with
Tests/AppSnippets/Context/PAGE.swift, which has what the page does not show; all Kotlin blocks are one program. A comment
before a block says more about it:

    <!-- file: PATH -->       the block is this file of the repository
    <!-- part of: PATH -->    the block is a part of this file
    <!-- inside: HEAD -->     the block is the body of this function, as in `func show(_ url: URL) async`

docs/app.md links what it does not show of config/examples/app: the Kotlin files, the files for UIKit, which are compiled with the app,
and its tests. A block without imports gets those of Foundation, LinkClient and LinkRouting. MODULES is the folder with the built module LinkClient, JARS a folder with a Kotlin compiler.
A missing tool is reported as SKIPPED, and the exit code is then 3.
Example: Tests/AppSnippets/check.py .build/debug/fingerpost .build/debug/Modules
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/TypedScreens"))
from compilers import compile_kotlin, fail, kotlin_folder, run  # noqa: E402

APP = ROOT / "config/examples/app"
SOURCES = sorted((APP / "Shop").glob("*.swift"))
UIKIT = sorted((APP / "UIKit").glob("*.swift"))
TESTS = sorted((APP / "ShopTests").glob("*.swift"))
ANDROID = sorted((APP / "Android").glob("*.kt"))
STUBS = ROOT / "Tests/AppSnippets/Stubs"
CONTEXT = ROOT / "Tests/AppSnippets/Context"
# The pages, and whether they belong to the sample app.
PAGES = {
    "docs/app.md": True,
    "Sources/Engine/LinkClient/LinkClient.docc/ResolveALinkWithoutNetwork.md": False,
    "Sources/Engine/LinkRouting/LinkRouting.docc/ResolveALinkInYourApp.md": False,
}
IMPORTS = "import Foundation\nimport LinkClient\nimport LinkRouting\n"
# The language modes of new projects: Swift 6, and the settings of Xcode 26.
MODES = {
    "Swift 6": ["-swift-version", "6"],
    "Swift 5 with the settings of Xcode 26": ["-swift-version", "5", "-default-isolation", "MainActor"]
    + sum((["-enable-upcoming-feature", name] for name in [
        "MemberImportVisibility", "NonisolatedNonsendingByDefault", "InferIsolatedConformances", "InferSendableFromCaptures",
        "DisableOutwardActorInference", "GlobalActorIsolatedTypesUsability"]), []),
}
BLOCK = re.compile(r"^(?:<!-- (file|part of|inside): (.*?) -->\n)?```(swift|kotlin)\n(.*?)^```$", re.M | re.S)


class Block:
    def __init__(self, page, number, match):
        self.name = f"{Path(page).stem}{number}"
        self.role, self.value, self.language, self.code = match.groups()

    def text(self):
        """The block as a file."""
        code = self.code
        if self.role == "inside":
            code = f"{self.value} {{\n{code}}}\n"
        if self.language == "swift" and not re.search(r"^(@testable )?import ", code, re.M):
            head = IMPORTS + ("import SwiftUI\n" if "some Scene" in code else "")
            code = head + code
        return code


def blocks(page):
    text = (ROOT / page).read_text()
    found = [Block(page, number, match) for number, match in enumerate(BLOCK.finditer(text))]
    if len(found) != len(re.findall(r"^```(?:swift|kotlin)$", text, re.M)):
        fail(f"{page}: a block of code has no end.")
    comments = len(re.findall(r"^<!-- (?:file|part of|inside):", text, re.M))
    if comments != sum(block.role is not None for block in found):
        fail(f"{page}: a comment is not followed by a block of Swift or Kotlin.")
    return found


def check_excerpts(page, found):
    """Blocks that show a file of the repository are equal to it."""
    for block in found:
        if block.role not in ("file", "part of"):
            continue
        content = (ROOT / block.value).read_text()
        if block.code != content if block.role == "file" else block.code not in content:
            fail(f"{page}: the block differs from {block.value}; copy the file into it.")


def check_completeness(page, found):
    """The guide shows or links all files of the sample app that are written by hand, so that a reader lacks none."""
    shown, text = {ROOT / block.value for block in found if block.role == "file"}, (ROOT / page).read_text()
    missing = [path.name for path in SOURCES + UIKIT + TESTS + ANDROID
               if path not in shown and path.name != "ShopScreen.swift" and f"](../{path.relative_to(ROOT)})" not in text]
    if missing:
        fail(f"{page} neither shows nor links {', '.join(missing)} of the sample app.")


class Swift:
    def __init__(self, modules, folder):
        self.modules, self.folder = modules, folder
        for name, path in {"UIKit": ROOT / "Tests/TestKit/UIKit.swift", "SwiftUI": STUBS / "SwiftUI.swift"}.items():
            result = run(["swiftc", "-emit-module", "-module-name", name, "-swift-version", "5", "-parse-as-library",
                          "-suppress-warnings", "-I", folder, "-o", folder / f"{name}.swiftmodule", path])
            if result.returncode != 0:
                fail(f"the declarations of {name} do not compile:\n{result.stderr}")

    def compile(self, module, files, *options, mode="Swift 6"):
        return run(["swiftc", "-module-name", module, *MODES[mode], "-warnings-as-errors", "-parse-as-library",
                    "-I", self.folder, "-I", self.modules, *(options or ["-typecheck"]), *files])

    def require(self, what, result):
        if result.returncode != 0:
            fail(f"{what}: does not compile:\n{result.stdout}{result.stderr}")

    def files(self, page, found):
        """The blocks of a page that are no files of the repository, and what the page does not show."""
        context = CONTEXT / f"{Path(page).stem}.swift"
        files = [context] if context.exists() else []
        for block in found:
            if block.language == "swift" and block.role not in ("file", "part of"):
                path = self.folder / f"{block.name}.swift"
                path.write_text(block.text())
                files.append(path)
        return files

    def page(self, page, found, belongs_to_app):
        app = SOURCES + [STUBS / "Foundation.swift"] if belongs_to_app else []
        files = app + (UIKIT if page == "docs/app.md" else []) + self.files(page, found)
        for mode in MODES if page == "docs/app.md" else ["Swift 6"]:
            self.require(f"{page} ({mode})", self.compile("Shop", files, mode=mode))
        if page == "docs/app.md":
            self.tests(files)
        print(f"swift   {page}: {sum(block.language == 'swift' for block in found)} blocks")

    def tests(self, files):
        module = self.folder / "Shop.swiftmodule"
        self.require("the app", self.compile("Shop", files, "-emit-module", "-enable-testing", "-o", module))
        for mode in MODES:
            self.require(f"the tests ({mode})", self.compile("ShopTests", TESTS, mode=mode))
        print(f"swift   the app with UIKit: {len(UIKIT)} files, its tests: {len(TESTS)}")

    def control(self):
        """A switch that lacks a screen does not compile; else the checks above would prove nothing."""
        changed = self.folder / "ScreenView.swift"
        text = (APP / "Shop/ScreenView.swift").read_text()
        changed.write_text(re.sub(r"^ *case \.settings:.*\n", "", text, flags=re.M))
        files = [changed if path.name == changed.name else path for path in SOURCES] + [STUBS / "Foundation.swift"]
        result = self.compile("Shop", files)
        if result.returncode == 0 or "switch must be exhaustive" not in result.stderr:
            fail(f"a switch without the screen 'settings' compiles, or fails otherwise:\n{result.stderr}")
        print("swift   a switch without a screen does not compile")


def check_kotlin(fingerpost, folder, jars):
    if jars is None or shutil.which("java") is None:
        print("SKIPPED: Kotlin: a compiler or a JVM is missing.")
        return False
    stubs, screens = folder / "android", folder / "ShopScreen.kt"
    stubs.mkdir()
    for command in ([sys.executable, ROOT / "Tests/TestKit/android_stubs.py", stubs],
                    [fingerpost, "codegen", "kotlin", ROOT / "config/examples/shop.yaml", "--package",
                     "com.example.shop.links", "--out", screens]):
        result = run(command)
        if result.returncode != 0:
            fail(result.stderr)
    found = [block for block in blocks("docs/app.md") if block.language == "kotlin"]
    files = [*stubs.glob("*.kt"), *STUBS.glob("*.kt"), CONTEXT / "app.kt", screens, *ANDROID,
             ROOT / "config/examples/jni/FingerpostEngine.java"]
    for block in found:
        (folder / f"{block.name}.kt").write_text(block.text())
        files.append(folder / f"{block.name}.kt")
    result = compile_kotlin(jars, files, folder / "classes")
    if result.returncode != 0:
        fail(f"the Kotlin code of docs/app.md does not compile:\n{result.stdout}{result.stderr}")
    print(f"kotlin  docs/app.md: {len(found)} blocks, the app: {len(ANDROID)} files")
    return True


def check_generated(fingerpost, folder):
    """The generated files of the sample app are those that the commands make."""
    advice = "run config/examples/app/update.sh"
    table, keys = APP / "Shop/shop.table", re.findall(r'^ *"([\w-]{43})",$', (APP / "Shop/Links.swift").read_text(), re.M)
    tenant = ROOT / "config/examples/shop.yaml"
    screens = run([fingerpost, "codegen", "swift", tenant])
    if screens.returncode != 0 or screens.stdout != (APP / "Shop/ShopScreen.swift").read_text():
        fail(f"ShopScreen.swift is not what codegen prints; {advice}.\n{screens.stderr}")
    verified = run([fingerpost, "table", "verify", table, "--tenant", "shop", "--app", "ios"]
                   + sum((["--public-key", key] for key in keys), []))
    if verified.returncode != 0 or len(keys) != 2:
        fail(f"shop.table is not signed with a key of Links.swift; {advice}.\n{verified.stdout}{verified.stderr}")
    for command in (["table", "keys", "create", folder / "table.jwk"],
                    ["table", "sign", tenant, "--app", "ios", "--signing-key", folder / "table.jwk", "--revision", "1",
                     "--settings-revision", "1", "--output", folder / "shop.table"]):
        result = run([fingerpost, *command])
        if result.returncode != 0:
            fail(result.stderr)
    if payload(table) != payload(folder / "shop.table"):
        fail(f"shop.table has another content than config/examples/shop.yaml; {advice}.")
    project = run([fingerpost, "testkit", "doctor", APP, "--table", tenant, "--app", "ios"])
    if project.returncode != 0:
        fail(f"the sample app does not get the links of config/examples/shop.yaml:\n{project.stdout}")
    print("app     screens, table, domains and schemes are those of config/examples/shop.yaml")


def check_articles(modules, folder):
    """DocC finds all symbols that the articles and comments of the two libraries for apps name."""
    if shutil.which("docc") is None:
        print("SKIPPED: DocC: docc, a part of Swift, is missing.")
        return False
    target = json.loads(run(["swiftc", "-print-target-info"]).stdout)["target"]["triple"]
    for name in ["LinkClient", "LinkRouting"]:
        symbols = folder / f"{name}.symbols"
        symbols.mkdir()
        for command in (["swift-symbolgraph-extract", "-module-name", name, "-I", modules, "-target", target, "-sdk", "/",
                         "-minimum-access-level", "public", "-output-dir", symbols],
                        ["docc", "convert", ROOT / f"Sources/Engine/{name}/{name}.docc", "--fallback-display-name", name,
                         "--fallback-bundle-identifier", name, "--additional-symbol-graph-dir", symbols,
                         "--output-path", folder / f"{name}.doccarchive"]):
            result = run(command)
            # A parameter whose name says everything needs no sentence.
            warnings = [line for line in (result.stdout + result.stderr).splitlines()
                        if line.startswith("warning:") and not line.endswith("is missing documentation")]
            if result.returncode != 0 or warnings:
                fail(f"{name}.docc: {warnings}\n{result.stdout}{result.stderr}")
    print("docc    LinkClient and LinkRouting: all links lead to a symbol or an article")
    return True


def payload(table):
    members = json.loads(table.read_text().split("\n", 1)[1])
    del members["issuedAt"], members["expiresAt"]
    return members


def check_project():
    """Xcode's project is well-formed, its objects refer to each other, and the paths exist."""
    if shutil.which("plutil") is None:
        print("SKIPPED: the project of the sample app: plutil, a part of Swift, is missing.")
        return False
    project = run(["plutil", "-convert", "json", "-o", "-", APP / "Shop.xcodeproj/project.pbxproj"])
    for path in [*(APP / "Shop").glob("*.plist"), *(APP / "Shop").glob("*.entitlements")]:
        result = run(["plutil", "-lint", path])
        if result.returncode != 0:
            fail(f"{path}: {result.stdout}")
    if project.returncode != 0:
        fail(f"project.pbxproj is no property list: {project.stdout}{project.stderr}")
    document = json.loads(project.stdout)
    objects, used = document["objects"], {document["rootObject"]}

    def visit(value):
        if isinstance(value, dict):
            for key, item in value.items():
                visit(key)
                visit(item)
        elif isinstance(value, list):
            for item in value:
                visit(item)
        elif re.fullmatch("[0-9A-F]{24}", value):
            used.add(value)

    visit([list(item.values()) for item in objects.values()])
    if used != set(objects):
        fail(f"project.pbxproj: objects without a reference, or references without an object: {used ^ set(objects)}")
    of_kind = lambda kind: [item for item in objects.values() if item["isa"] == kind]  # noqa: E731
    paths = [APP / item["path"] for item in of_kind("PBXFileSystemSynchronizedRootGroup")]
    paths += [APP / item["relativePath"] / "Package.swift" for item in of_kind("XCLocalSwiftPackageReference")]
    paths += [APP / settings[key] for settings in (item["buildSettings"] for item in of_kind("XCBuildConfiguration"))
              for key in ("INFOPLIST_FILE", "CODE_SIGN_ENTITLEMENTS") if key in settings]
    missing = [str(path) for path in paths if not path.exists()]
    if missing or len(paths) < 6:
        fail(f"project.pbxproj names files that do not exist: {missing}")
    manifest = (ROOT / "Package.swift").read_text()
    for item in of_kind("XCSwiftPackageProductDependency"):
        if f'.library(name: "{item["productName"]}"' not in manifest:
            fail(f"Package.swift has no library {item['productName']}.")
    print(f"app     project.pbxproj: {len(objects)} objects, {len(paths)} paths")
    return True


def main():
    arguments = sys.argv[1:]
    jars = kotlin_folder(arguments)
    if len(arguments) != 2:
        sys.exit(__doc__)
    fingerpost, modules = (Path(argument).resolve() for argument in arguments)
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        check_generated(fingerpost, folder)
        complete = check_project()
        swift = Swift(modules, folder)
        for page, belongs_to_app in PAGES.items():
            found = blocks(page)
            check_excerpts(page, found)
            if page == "docs/app.md":
                check_completeness(page, found)
            swift.page(page, found, belongs_to_app)
        swift.control()
        complete = check_articles(modules, folder) and complete
        complete = check_kotlin(fingerpost, folder, jars) and complete
        sys.exit(0 if complete else 3)


main()
