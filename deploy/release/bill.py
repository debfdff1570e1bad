#!/usr/bin/env python3
"""Writes what a release build of fingerpost consists of.

    deploy/release/bill.py VERSION BUILD NOTICES

BUILD is the folder of the products, such as .build/release. Writes into the folder NOTICES:

    NOTICE               the licences of everything that is linked
    LIBRARIES            the shared libraries with their Debian packages, and the oldest glibc
    components.spdx.json the same as an SPDX document; its date is SOURCE_DATE_EPOCH

The packages are those whose object files are linked, and the libraries those that the program names. Fails if one of
them has no licence in components.json, if the file LICENSE of a package has other terms than the licence there or
additional ones, if a module with sources in C, C++ or assembler is neither in `vendored` nor in `own` (C code that the
authors of the package wrote), or if a library is missing in Depends of deploy/debian/control. It does not notice code of
others in Swift files, nor what a new Swift toolchain contains: `vendored` and `runtime` say what somebody found there.
"""
import datetime
import hashlib
import inspect
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
KNOWN = json.loads((HERE / "components.json").read_text())


def fail(message):
    sys.exit(f"bill.py: {message}")


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@dataclass
class Component:
    name: str
    version: str
    licence: str
    url: str
    link: str  # CONTAINS, STATIC_LINK or DYNAMIC_LINK
    copyright: str = ""
    purl: str = ""
    parent: str = ""
    # The package's own file NOTICE.txt, and the text of a licence that is not Apache's.
    notice: str = ""
    text: str = ""

    @property
    def id(self):
        name = f"{self.parent}-{self.name}" if self.parent else self.name
        return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", name.replace("+", "p"))


def words(text):
    return " ".join(text.split())


# --- packages ---------------------------------------------------------------------------------------------------------


def licence_of(text):
    """Reads which licence a file consists of; besides it, the file may have only a short title and a line of copyright."""
    flat = words(text)
    if flat == words((ROOT / "LICENSE").read_text()):
        return "Apache-2.0"
    if flat == words(toolchain_licence()):
        return "Apache-2.0 WITH Swift-exception"
    mit = words((HERE / "licences/MIT.txt").read_text())
    if flat.lower().endswith(mit.lower()) and len(flat) < len(mit) + 100:
        return "MIT"
    return "another licence, or has additional terms"


def linked_modules(build):
    objects = (build / "fingerpost.product/Objects.LinkFileList").read_text().splitlines()
    return sorted({re.search(r"/([^/]+)\.build/", path).group(1) for path in objects if ".build/" in path})


def sources_of_modules(build):
    """The sources of each module as PACKAGE/PATH, from the build plan; modules of this repository have none."""
    plan = (build.resolve().parent.parent / f"{build.name}.yaml").read_text()
    found = {}
    for command in plan.split("\n\n"):
        outputs = re.findall(r"/([^/\"]+)\.build/[^\"]*\.o\"", "".join(re.findall(r"outputs: .*", command)))
        sources = re.findall(r"/checkouts/([^/\"]+/[^\"]*)\"", "".join(re.findall(r"inputs: .*", command)))
        for module in outputs:
            found.setdefault(module, set()).update(sources)
    return found


def vendored_version(package, known):
    if "version" not in known:
        return "as in the package"
    text = (package / known["version"]).read_text()
    return re.search(r"\b[0-9a-f]{40}\b|\bg[0-9a-f]{7,}\b|^\d+\.\S+", text).group(0).removeprefix("g")


def vendored_text(package, known):
    """The text of a licence: a file, or the part of a source file between two texts, without the marks of a comment."""
    if "text" not in known:
        mit = (HERE / "licences/MIT.txt").read_text()
        return f"Copyright (c) {known['copyright']}\n\n{mit}" if known["licence"] == "MIT" else ""
    text = (package / known["text"]).read_text()
    if "part" in known:
        part = re.search(".*?".join(map(re.escape, known["part"])), text, re.DOTALL)
        if part is None:
            fail(f"{package.name} has the licence of {known['name']} no longer in {known['text']}.")
        text = inspect.cleandoc(re.sub("^//", "", part.group(0), flags=re.MULTILINE))
    return text


def packages(build):
    checkouts = build.resolve().parent.parent / "checkouts"
    pins = {}
    for pin in json.loads((ROOT / "Package.resolved").read_text())["pins"]:
        pins[pin["location"].rsplit("/", 1)[1].removesuffix(".git")] = pin
    found, vendored, sources = {}, [], sources_of_modules(build)
    for module in linked_modules(build):
        if module not in sources:
            fail(f"the module {module} is linked, but the build plan does not make it.")
        if not sources[module]:
            continue
        folders = sorted({path.split("/")[0] for path in sources[module]})
        if len(folders) > 1:
            fail(f"the module {module} has sources of several packages: {', '.join(folders)}")
        other = [path for path in sources[module] if re.search(r"\.(c|cc|cpp|cxx|m|mm|s|asm)$", path, re.IGNORECASE)]
        if other and module not in KNOWN["vendored"] and module not in KNOWN["own"]:
            fail(f"{min(other)} is linked; who wrote it? {module} is neither in `vendored` nor in `own` of components.json.")
        package = checkouts / folders[0]
        pin = pins[package.name]
        identity = pin["identity"]
        if identity not in found:
            file = next(package.glob("LICENSE*"), None)
            if file is None:
                fail(f"{identity} has no file LICENSE.")
            licence, text = KNOWN["packages"].get(identity), file.read_text()
            if licence is None:
                fail(f"{identity} is linked and has no licence in components.json.")
            if licence_of(text) != licence:
                fail(f"{identity} is listed as {licence}, but its file {file.name} is {licence_of(text)}.")
            notice = next(package.glob("NOTICE*"), None)
            address = pin["location"].removesuffix(".git")
            found[identity] = Component(
                name=identity,
                version=pin["state"]["version"],
                licence=licence,
                url=address,
                link="STATIC_LINK",
                copyright="see its notice" if notice else first_copyright(text) or source_copyright(package),
                purl=f"pkg:swift/{address.removeprefix('https://')}@{pin['state']['version']}",
                notice=notice.read_text() if notice else "",
                text="" if licence.startswith("Apache-2.0") else text,
            )
        for known in KNOWN["vendored"].get(module, []):
            vendored.append(
                Component(
                    name=known["name"],
                    version=vendored_version(package, known),
                    licence=known["licence"],
                    url=known["url"],
                    link="STATIC_LINK",
                    copyright=known["copyright"],
                    parent=identity,
                    text=vendored_text(package, known),
                )
            )
    return sorted(found.values(), key=lambda c: c.name) + vendored


def source_copyright(package):
    for file in sorted(package.glob("Sources/*/*.swift")):
        if found := first_copyright(file.read_text()):
            return found
    return "its authors"


def first_copyright(text):
    match = re.search(r"^[\s/]*Copyright (?:\(c\) |©\s*|(?=\d))(.*\w.*)$", text, re.IGNORECASE | re.MULTILINE)
    return match.group(1).strip().rstrip(".") if match else ""


def runtime(binary):
    version = re.search(r"Swift version (\S+)", output("swift", "--version")).group(1)
    program = binary.read_bytes()
    for known in KNOWN["runtime"]:
        if known.get("contains", "").encode() not in program:
            fail(f"the program does not contain {known['contains']}: has the toolchain another version of {known['name']}?")
        yield Component(
            name=known["name"],
            version=f"of Swift {version}",
            licence=known["licence"],
            url=known["url"],
            link="STATIC_LINK",
            copyright=known["copyright"],
            parent=known.get("parent", ""),
            text=(HERE / "licences" / known["text"]).read_text() if "text" in known else "",
            notice=(HERE / "licences" / known["notice"]).read_text() if "notice" in known else "",
        )
    for known in KNOWN["data"]:
        date = re.search(r'date = "([0-9-]+)"', (ROOT / known["source"]).read_text()).group(1)
        yield Component(known["name"], date, known["licence"], known["url"], "CONTAINS", known["copyright"])


# --- shared libraries -------------------------------------------------------------------------------------------------


def debian_package(library):
    """The name and the version of the installed package of a library."""
    paths = [line.split()[-1] for line in output("/sbin/ldconfig", "-p").splitlines() if line.split()[:1] == [library]]
    # The dynamic linker has an absolute name.
    for path in paths + [f"/lib64/{library}"]:
        for name in (path, os.path.realpath(path), path.removeprefix("/usr"), f"/usr{path}"):
            owner = subprocess.run(["dpkg-query", "-S", name], capture_output=True, text=True).stdout
            if owner:
                package = owner.split(":")[0]
                return package, output("dpkg-query", "-W", "-f", "${Version}", package)
    fail(f"no Debian package has {library}.")


def numbers(version):
    return tuple(map(int, version.split(".")))


def libraries(binary):
    """(library, package, version of the package, newest versions of its symbols), sorted; and the newest of glibc."""
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", output("readelf", "--dynamic", "--wide", str(binary)))
    swift = [name for name in needed if "swift" in name.lower() or name.startswith(("libFoundation", "libdispatch"))]
    if swift:
        fail(f"the Swift runtime is not linked statically: {', '.join(swift)}")
    symbols = {library: {} for library in needed}
    for part in output("readelf", "--version-info", "--wide", str(binary)).split(" File: ")[1:]:
        newest = symbols[part.split()[0]]
        for prefix, version in re.findall(r"Name: ([A-Z]+)_([0-9.]+) ", part):
            newest[prefix] = max(newest.get(prefix, "0"), version, key=numbers)
    rows = []
    for library in sorted(needed):
        rows.append((library, *debian_package(library), ", ".join("_".join(pair) for pair in symbols[library].items())))
    return rows, max((newest["GLIBC"] for newest in symbols.values() if "GLIBC" in newest), key=numbers)


def declared_dependencies():
    line = re.search(r"^Depends: (.*)$", (ROOT / "deploy/debian/control").read_text(), re.MULTILINE).group(1)
    return dict(re.fullmatch(r"(\S+)(?: \(>= (.*)\))?", entry.strip()).groups() for entry in line.split(","))


def check_dependencies(rows, glibc):
    declared = declared_dependencies()
    needed = {package for _, package, _, _ in rows}
    # These have no library: trust roots and time zones.
    if missing := needed ^ (declared.keys() - {"ca-certificates", "tzdata"}):
        fail(f"Depends of deploy/debian/control and the libraries of the program differ in {', '.join(sorted(missing))}.")
    if not declared["libc6"] or numbers(declared["libc6"]) < numbers(glibc):
        fail(f"the program needs glibc {glibc}, more than Depends of deploy/debian/control says.")


def libraries_text(version, architecture, rows, glibc):
    lines = [
        f"The shared libraries that fingerpost {version} for {architecture} needs. The Swift runtime is linked statically.",
        "",
        f"{'library':<24}{'Debian package':<18}{'version at the build':<26}oldest version",
    ]
    declared = declared_dependencies()
    for library, package, built, oldest in rows:
        lines.append(f"{library:<24}{package:<18}{built:<26}{oldest or (declared[package] or 'any') + ' *'}")
    return "\n".join(
        lines
        + [
            "",
            "* Its symbols have no versions; this is what the package for Debian asks for.",
            "",
            f"The oldest glibc with all symbols that the program uses is {glibc}. The package for Debian asks for "
            f"{declared['libc6']}, with which everything is tested.",
            "It also needs the packages ca-certificates (trust roots of outgoing requests) and tzdata (time zones of schedules).",
            "",
        ]
    )


# --- NOTICE and SPDX --------------------------------------------------------------------------------------------------


def notice_text(version, contained, linked):
    width = 86
    rule = "-" * width
    lines = [f"Fingerpost {version}", "Copyright 2026 the Fingerpost authors", "License: Apache-2.0, in the file LICENSE", ""]
    lines += ["The program contains this software:", ""]
    for part in contained:
        inside = f" (in {part.parent})" if part.parent else ""
        lines += [f"  {part.name}{inside}, {part.version}: {part.licence}", f"    {part.url}", f"    Copyright: {part.copyright}"]
    lines += ["", "It is linked dynamically to these libraries of the system, which only the container image contains, with other packages of Debian:", ""]
    lines += [f"  {part.name}: {part.licence}" for part in linked]
    lines += [
        "",
        "glibc and libqrencode are under the GNU Lesser General Public License; anybody may replace them with other versions.",
        "libstdc++ and libgcc are under the GNU General Public License with the GCC Runtime Library Exception, which permits",
        "this use; the small parts of libgcc and glibc that every program contains have such an exception as well. Debian's",
        "packages have their licences in /usr/share/doc/PACKAGE/copyright, also in the image, and their sources at",
        "https://sources.debian.org.",
        "",
        "The rules of the Public Suffix List are under the Mozilla Public License 2.0, https://mozilla.org/MPL/2.0/. Their",
        f"source form is the file {KNOWN['data'][0]['source']} of",
        "Fingerpost's source code, and https://publicsuffix.org/list/.",
        "",
    ]
    exception = swift_exception()
    lines += [rule, "The Swift exception (Runtime Library Exception) to the Apache License 2.0", "", exception, ""]
    for part in contained:
        if part.text:
            lines += [rule, f"The licence of {part.name} ({part.licence})", "", part.text.strip("\n"), ""]
    for part in contained:
        if part.notice:
            lines += [rule, f"The notice of {part.name}", "", part.notice.strip("\n"), ""]
    return "\n".join(line.rstrip() for line in "\n".join(lines).split("\n"))


def toolchain_licence():
    toolchain = Path(os.path.realpath(output("sh", "-c", "command -v swift").strip())).parent.parent
    return (toolchain / "share/swift/LICENSE.txt").read_text()


def swift_exception():
    text = toolchain_licence()
    start = text.index("As an exception, if you use this Software")
    return "\n".join(line.strip() for line in text[start:].strip().split("\n"))


def spdx(version, commit, program, binary, parts):
    date = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
    digest = hashlib.sha256(binary.read_bytes()).hexdigest()

    def package(part):
        entry = {
            "SPDXID": part.id,
            "name": part.name,
            "versionInfo": part.version,
            "downloadLocation": part.url or "NOASSERTION",
            "filesAnalyzed": False,
            "licenseConcluded": part.licence,
            "licenseDeclared": part.licence,
            "copyrightText": part.copyright or "NOASSERTION",
        }
        if part.purl:
            entry["externalRefs"] = [
                {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": part.purl}
            ]
        return entry

    main = package(program)
    main |= {"primaryPackagePurpose": "APPLICATION", "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}
    main["comment"] = f"Commit {commit}. The checksum is that of bin/fingerpost."
    parents = {part.name: part.id for part in parts if not part.parent}
    relationships = [("SPDXRef-DOCUMENT", "DESCRIBES", program.id)]
    for part in parts:
        if part.parent:
            relationships.append((parents[part.parent], "CONTAINS", part.id))
        else:
            relationships.append((program.id, part.link, part.id))
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"fingerpost-{version}",
        "documentNamespace": f"https://fingerpost.invalid/spdx/fingerpost-{version}-{digest}",
        "creationInfo": {"created": date.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: fingerpost-release"]},
        "packages": [main] + [package(part) for part in parts],
        "hasExtractedLicensingInfos": [
            {"licenseId": part.licence, "extractedText": part.text} for part in parts if part.licence.startswith("LicenseRef-")
        ],
        "relationships": [
            {"spdxElementId": first, "relationshipType": kind, "relatedSpdxElement": second}
            for first, kind, second in relationships
        ],
    }


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    version, build, folder = sys.argv[1], Path(sys.argv[2]).absolute(), Path(sys.argv[3])
    binary = build / "fingerpost"
    architecture = output("uname", "-m").strip()
    rows, glibc = libraries(binary)
    check_dependencies(rows, glibc)
    contained = packages(build) + list(runtime(binary))
    versions = {package: built for _, package, built, _ in rows}
    linked = []
    for package in sorted(versions):
        if package not in KNOWN["debian"]:
            fail(f"the Debian package {package} is linked and has no licence in components.json.")
        linked.append(
            Component(
                package,
                versions[package],
                KNOWN["debian"][package],
                f"https://packages.debian.org/{package}",
                "DYNAMIC_LINK",
                purl=f"pkg:deb/debian/{package}@{versions[package]}",
            )
        )
    program = Component("fingerpost", version, "Apache-2.0", "", "", "2026 the Fingerpost authors")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "NOTICE").write_text(notice_text(version, contained, linked))
    (folder / "LIBRARIES").write_text(libraries_text(version, architecture, rows, glibc))
    document = spdx(version, os.environ.get("BUILD_COMMIT", ""), program, binary, contained + linked)
    (folder / "components.spdx.json").write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")
    print(f"{len(contained)} components are linked statically, {len(linked)} Debian packages dynamically")


if __name__ == "__main__":
    main()
