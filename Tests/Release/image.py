#!/usr/bin/env python3
"""The image has the documented configuration, and its layers the documented files.

    image.py INSPECT.json CONFIG.json LAYERS VERSION COMMIT

INSPECT.json and CONFIG.json are the answers of `skopeo inspect`, and LAYERS is a folder of `skopeo copy … dir:`.
"""
import json
import sys
import tarfile
from pathlib import Path

SECOND = 1_000_000_000


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"image.py: {what} is {found} instead of {wanted}.")


def main():
    inspect, parsed, layers, version, commit = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), *sys.argv[4:]
    answer = json.loads(inspect.read_text())
    manifest = json.loads((layers / "manifest.json").read_text())
    raw = json.loads((layers / manifest["config"]["digest"].removeprefix("sha256:")).read_text())
    config = json.loads(parsed.read_text())["config"]
    labels = {
        "org.opencontainers.image.title": "fingerpost",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.revision": commit,
    }
    expect("the system", answer["Os"], "linux")
    expect("the labels", answer["Labels"], labels)
    expect("the user", config["User"], "10001:10001")
    expect("the volumes", config["Volumes"], {"/var/lib/fingerpost": {}, "/var/lib/fingerpost-backups": {}})
    expect("the ports", sorted(config["ExposedPorts"]), ["8080/tcp", "8081/tcp", "8082/tcp"])
    expect("the signal", config["StopSignal"], "SIGTERM")
    expect("the entrypoint", config["Entrypoint"], ["fingerpost"])
    command = "serve --data /var/lib/fingerpost --public 0.0.0.0:8080 --admin 127.0.0.1:8081 --ops 0.0.0.0:8082"
    expect("the command", config["Cmd"], command.split())
    health = raw["config"]["Healthcheck"]
    times = (health["Interval"], health["Timeout"], health["StartPeriod"])
    expect("the times of the health check", times, (10 * SECOND, 3 * SECOND, 60 * SECOND))
    expect("the health check", health["Test"][:3], ["CMD", "bash", "-c"])
    expect("the number of layers", len(manifest["layers"]), 2)
    debian, program = [layers / layer["digest"].removeprefix("sha256:") for layer in manifest["layers"]]
    owners = {member.name.rstrip("/"): member.uid for member in tarfile.open(program)}
    for folder in ("var/lib/fingerpost", "var/lib/fingerpost-backups"):
        expect(f"the owner of {folder}", owners[folder], 10001)
    files = sorted(member.name for member in tarfile.open(program) if member.isfile())
    documents = [f"usr/share/doc/fingerpost/{name}" for name in ("LIBRARIES", "LICENSE", "NOTICE")]
    expect("the content of the upper layer", files, ["usr/local/bin/fingerpost"] + documents)
    names = {member.name.removeprefix("./") for member in tarfile.open(debian)}
    for file in ("usr/bin/apt", "usr/bin/cpan", "etc/resolv.conf", "etc/hostname", "etc/machine-id"):
        if file in names:
            sys.exit(f"image.py: the image contains {file}.")
    for member in tarfile.open(debian):
        if member.isfile() and member.mode & 0o6002:
            sys.exit(f"image.py: {member.name} has the mode {member.mode:o}.")
    size = sum(layer["size"] for layer in manifest["layers"])
    print(f"the image has the configuration of deploy/Dockerfile; its layers have {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
