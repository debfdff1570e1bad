#!/usr/bin/env python3
"""The packages contain the expected files, and nothing else.

    contents.py RELEASE VERSION NAME PACKAGE
"""
import io
import os
import re
import subprocess
import sys
import tarfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
# What the documents name, but packages do not have: sources, tests and how they are made.
LEFT_OUT = ("Sources/", "Tests/", ".github/", ".ci/", "migrations/", "deploy/release/", "deploy/debian/", "dev", "Package.swift")
SHARED = [
    r"bin/fingerpost",
    r"share/bash-completion/completions/fingerpost",
    r"share/fish/vendor_completions\.d/fingerpost\.fish",
]
UNITS = [rf"lib/systemd/system/{name}" for name in (r"fingerpost\.service", r"fingerpost-backup\.service", r"fingerpost-backup\.timer")]
RELEASE = [
    "CHANGELOG-{v}.md", "NOTICE", "Package.resolved", "SHA256SUMS", "fingerpost-{v}.spdx.json", "fingerpost-swift",
    "fingerpost-swift-{v}.tar.gz", "{n}-debug.tar.gz", "{n}.oci.tar", "{n}.tar.gz", "{p}",
]


def fail(message):
    sys.exit(f"contents.py: {message}")


def check(title, tar, patterns, executable, owners={(0, 0)}):
    """Every file matches a pattern, and every pattern has a file."""
    unused = set(patterns)
    count = 0
    for member in tar:
        name = member.name.removeprefix("./")
        if (member.uid, member.gid) not in owners:
            fail(f"{title}: {name} belongs to {member.uid}:{member.gid}.")
        if member.mode & 0o7022:
            fail(f"{title}: {name} has the mode {member.mode:o}.")
        if member.isdir():
            continue
        if not member.isfile():
            fail(f"{title}: {name} is neither a file nor a folder.")
        if bool(member.mode & 0o111) != bool(re.fullmatch(executable, name)):
            fail(f"{title}: {name} has the mode {member.mode:o}.")
        matching = [pattern for pattern in patterns if re.fullmatch(pattern, name)]
        if not matching:
            fail(f"{title} contains {name}.")
        unused -= set(matching)
        count += 1
    if unused:
        fail(f"{title} has no file {', '.join(sorted(unused))}.")
    print(f"{title}: {count} files, all of them expected")


def documents():
    files = subprocess.run(
        ["git", "ls-files", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "SECURITY.md", "docs", "config", "deploy"],
        check=True, capture_output=True, text=True, cwd=REPOSITORY,
    ).stdout.split()  # fmt: skip
    return [file for file in files if not file.startswith(LEFT_OUT)]


def check_links(files):
    """Every link from a document leads to a file of the package, or into what is left out."""
    count = 0
    folders = {str(parent) for file in files for parent in Path(file).parents}
    for file in (file for file in files if file.endswith(".md")):
        for link in re.findall(r"\]\(([^)#\s]+)", (REPOSITORY / file).read_text()):
            if "://" in link or link.startswith("mailto:"):
                continue
            target = os.path.normpath(Path(file).parent / link)
            if target not in files and target not in folders and not target.startswith(LEFT_OUT):
                fail(f"{file} links to {link}, which the packages do not have.")
            count += 1
    print(f"{count} links between the documents lead to files of the packages or of the source")


def main():
    release, version, name, package = Path(sys.argv[1]), *sys.argv[2:]
    expected = sorted(text.format(v=version, n=name, p=package) for text in RELEASE)
    found = sorted(path.name for path in release.iterdir())
    if found != expected:
        fail(f"the release has {', '.join(found)} instead of {', '.join(expected)}.")
    if not (release / f"CHANGELOG-{version}.md").read_text().startswith(f"## {version} ("):
        fail("CHANGELOG is not that of the version.")
    data = subprocess.run(["dpkg-deb", "--fsys-tarfile", release / package], check=True, capture_output=True).stdout
    shared = [re.escape(file) for file in documents()] + ["NOTICE", "LIBRARIES"]
    check_links(documents())
    debian = [f"usr/{pattern}" for pattern in SHARED + UNITS] + [
        r"etc/fingerpost/fingerpost\.yaml",
        r"usr/share/man/man1/fingerpost\.1\.gz",
        r"usr/share/zsh/vendor-completions/_fingerpost",
    ]
    debian += [f"usr/share/doc/fingerpost/{pattern}" for pattern in shared + [r"copyright", r"changelog\.gz"]]
    check(package, tarfile.open(fileobj=io.BytesIO(data)), debian, r"usr/bin/fingerpost")
    tarball = SHARED + UNITS + shared + [
        r"etc/fingerpost/fingerpost\.yaml",
        r"share/man/man1/fingerpost\.1",
        r"share/zsh/site-functions/_fingerpost",
    ]
    inside = [f"{re.escape(name)}/({pattern})" for pattern in tarball]
    check(f"{name}.tar.gz", tarfile.open(release / f"{name}.tar.gz"), inside, rf"{re.escape(name)}/bin/fingerpost")
    debug = [r"usr/lib/debug/\.build-id/[0-9a-f]{2}/[0-9a-f]+\.debug"]
    check(f"{name}-debug.tar.gz", tarfile.open(release / f"{name}-debug.tar.gz"), debug, debug[0])
    libraries = tarfile.open(release / f"{name}.tar.gz").extractfile(f"{name}/LIBRARIES").read().decode()
    print(re.search(r"The oldest glibc .* is [0-9.]+", libraries).group(0))


if __name__ == "__main__":
    main()
