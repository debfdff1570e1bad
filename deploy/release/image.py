#!/usr/bin/env python3
"""Writes a container image as an OCI archive, without a daemon.

    deploy/release/image.py packages
    deploy/release/image.py archive VERSION COMMIT ARCHITECTURE FILE.tar LAYER.tar…

The configuration is that of the last stage of deploy/Dockerfile. `packages` prints the Debian packages of that stage. The
layers are tar files, the lowest first; the date of the image is SOURCE_DATE_EPOCH.
"""
import datetime
import gzip
import hashlib
import io
import json
import os
import re
import sys
import tarfile
from pathlib import Path

DOCKERFILE = Path(__file__).resolve().parent.parent / "Dockerfile"


def last_stage():
    """The instructions of the last stage, as (name, argument)."""
    lines = [line for line in DOCKERFILE.read_text().splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    instructions = [tuple(line.split(" ", 1)) for line in joined.splitlines() if line.strip()]
    start = max(i for i, (name, _) in enumerate(instructions) if name == "FROM")
    return instructions[start:]


def packages():
    run = next(argument for name, argument in last_stage() if name == "RUN")
    return re.search(r"--no-install-recommends ([^&]+)", run).group(1).split()


def nanoseconds(text):
    seconds = int(re.fullmatch(r"(\d+)s", text).group(1))
    return seconds * 1_000_000_000


def configuration(version, commit):
    settings = {"Env": ["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]}
    for name, argument in last_stage():
        match name:
            case "USER":
                settings["User"] = argument
            case "VOLUME":
                settings["Volumes"] = {path: {} for path in argument.split()}
            case "EXPOSE":
                settings["ExposedPorts"] = {f"{port}/tcp": {} for port in argument.split()}
            case "STOPSIGNAL":
                settings["StopSignal"] = argument
            case "ENTRYPOINT":
                settings["Entrypoint"] = json.loads(argument)
            case "CMD":
                settings["Cmd"] = json.loads(argument)
            case "HEALTHCHECK":
                # An extension by Docker. The OCI's format has no health checks, and Podman ignores this one.
                options, command = argument.split(" CMD ", 1)
                times = dict(re.findall(r"--([a-z-]+)=(\S+)", options))
                settings["Healthcheck"] = {
                    "Test": ["CMD"] + json.loads(command),
                    "Interval": nanoseconds(times["interval"]),
                    "Timeout": nanoseconds(times["timeout"]),
                    "StartPeriod": nanoseconds(times["start-period"]),
                }
            case "FROM" | "RUN" | "COPY":
                pass  # the layers
            case _:
                sys.exit(f"image.py: does not know the instruction {name} of {DOCKERFILE.name}.")
    settings["Labels"] = {
        "org.opencontainers.image.title": "fingerpost",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.revision": commit,
    }
    return settings


def archive(version, commit, architecture, target, layers):
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    created = datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    blobs = {}

    def blob(data, media_type):
        digest = hashlib.sha256(data).hexdigest()
        blobs[digest] = data
        return {"mediaType": f"application/vnd.oci.image.{media_type}", "digest": f"sha256:{digest}", "size": len(data)}

    def text(value):
        return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()

    descriptors, digests = [], []
    for layer in layers:
        data = Path(layer).read_bytes()
        digests.append(f"sha256:{hashlib.sha256(data).hexdigest()}")
        descriptors.append(blob(gzip.compress(data, 6, mtime=0), "layer.v1.tar+gzip"))
    config = {
        "created": created,
        "architecture": architecture,
        "os": "linux",
        "config": configuration(version, commit),
        "rootfs": {"type": "layers", "diff_ids": digests},
        "history": [{"created": created, "created_by": f"./dev release: {Path(layer).stem}"} for layer in layers],
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": blob(text(config), "config.v1+json"),
        "layers": descriptors,
    }
    entry = blob(text(manifest), "manifest.v1+json")
    # `podman load` and `docker load` give the image this name.
    entry["annotations"] = {
        "org.opencontainers.image.ref.name": version,
        "io.containerd.image.name": f"localhost/fingerpost:{version}",
    }
    entry["platform"] = {"architecture": architecture, "os": "linux"}
    index = {"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": [entry]}
    files = {"oci-layout": text({"imageLayoutVersion": "1.0.0"}), "index.json": text(index)}
    files |= {f"blobs/sha256/{digest}": data for digest, data in sorted(blobs.items())}
    with tarfile.open(target, "w", format=tarfile.USTAR_FORMAT) as tar:
        for name in ("blobs", "blobs/sha256"):
            folder = tarfile.TarInfo(name)
            folder.type, folder.mode, folder.mtime = tarfile.DIRTYPE, 0o755, epoch
            tar.addfile(folder)
        for name, data in files.items():
            file = tarfile.TarInfo(name)
            file.size, file.mode, file.mtime = len(data), 0o644, epoch
            tar.addfile(file, io.BytesIO(data))


def main():
    match sys.argv[1:]:
        case ["packages"]:
            print(",".join(packages()))
        case ["archive", version, commit, architecture, target, first, *more]:
            archive(version, commit, architecture, target, [first, *more])
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
