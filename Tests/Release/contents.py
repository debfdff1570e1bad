#!/usr/bin/env python3
"""The packages contain the expected files, and nothing else.

    contents.py RELEASE VERSION NAME PACKAGE
"""
import io
import re
import subprocess
import sys
import tarfile
from pathlib import Path

DOCUMENTS = [
    r"README\.md",
    r"docs/[a-z-]+\.md",
    r"docs/decisions/\d{3}-[a-z0-9-]+\.md",
    r"config/fingerpost\.yaml",
    r"config/examples/[a-z]+(\.suite)?\.yaml",
    r"deploy/runbooks/([a-z-]+\.md|README\.md|maintenance-pod\.yaml|platform\.sh)",
    r"deploy/prometheus/(recording|alerts)\.yaml",
    r"deploy/proxies/(Caddyfile|haproxy\.cfg|nginx\.conf)",
    "NOTICE",
    "LIBRARIES",
]
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


def main():
    release, version, name, package = Path(sys.argv[1]), *sys.argv[2:]
    expected = sorted(text.format(v=version, n=name, p=package) for text in RELEASE)
    found = sorted(path.name for path in release.iterdir())
    if found != expected:
        fail(f"the release has {', '.join(found)} instead of {', '.join(expected)}.")
    if not (release / f"CHANGELOG-{version}.md").read_text().startswith(f"## {version} ("):
        fail("CHANGELOG is not that of the version.")
    data = subprocess.run(["dpkg-deb", "--fsys-tarfile", release / package], check=True, capture_output=True).stdout
    debian = [f"usr/{pattern}" for pattern in SHARED] + UNITS + [
        r"etc/fingerpost/fingerpost\.yaml",
        r"usr/share/man/man1/fingerpost\.1\.gz",
        r"usr/share/zsh/vendor-completions/_fingerpost",
    ]
    documents = DOCUMENTS + [r"copyright", r"changelog\.gz", r"CHANGELOG\.md\.gz"]
    debian += [f"usr/share/doc/fingerpost/{pattern}" for pattern in documents]
    check(package, tarfile.open(fileobj=io.BytesIO(data)), debian, r"usr/bin/fingerpost")
    tarball = SHARED + UNITS + DOCUMENTS + [
        r"etc/fingerpost/fingerpost\.yaml",
        r"share/man/man1/fingerpost\.1",
        r"share/zsh/site-functions/_fingerpost",
    ]
    tarball += [r"LICENSE", r"CHANGELOG\.md"]
    inside = [f"{re.escape(name)}/({pattern})" for pattern in tarball]
    check(f"{name}.tar.gz", tarfile.open(release / f"{name}.tar.gz"), inside, rf"{re.escape(name)}/bin/fingerpost")
    debug = [r"usr/lib/debug/\.build-id/[0-9a-f]{2}/[0-9a-f]+\.debug"]
    check(f"{name}-debug.tar.gz", tarfile.open(release / f"{name}-debug.tar.gz"), debug, debug[0])
    libraries = tarfile.open(release / f"{name}.tar.gz").extractfile(f"{name}/LIBRARIES").read().decode()
    print(re.search(r"The oldest glibc .* is [0-9.]+", libraries).group(0))


if __name__ == "__main__":
    main()
