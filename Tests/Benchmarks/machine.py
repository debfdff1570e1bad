"""The machine, the versions and the commit of a run, and the disk's sync latency."""

import os
import platform
import re
import statistics
import subprocess
import time


def describe(root):
    return {"machine": _machine(), "versions": _versions(), "commit": _commit(root), "at": time.strftime("%FT%TZ", time.gmtime())}


def summary(description):
    machine, versions = description["machine"], description["versions"]
    tools = ", ".join(f"{name} {version}" for name, version in versions.items() if version)
    return (
        f"{machine['processor']}, {machine['cores']} cores, {machine['memoryGB']} GB, {machine['system']}, Linux {machine['kernel']}; "
        f"{tools}; commit {description['commit'] or 'unknown'}; {description['at']}. Load when it began: {machine['load']}."
    )


def median_sync(folder, count=300):
    """Returns the median seconds of `count` 4 KiB appends with fdatasync in `folder`."""
    path = os.path.join(folder, "sync-probe")
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        times = []
        for _ in range(count):
            start = time.perf_counter()
            os.write(file, bytes(4096))
            os.fdatasync(file)
            times.append(time.perf_counter() - start)
        return statistics.median(times)
    finally:
        os.close(file)
        os.unlink(path)


def _machine():
    with open("/proc/cpuinfo") as file:
        model = re.search(r"^model name\s*: (.*)$", file.read(), re.M)
    with open("/proc/meminfo") as file:
        kilobytes = int(re.search(r"MemTotal:\s+(\d+)", file.read()).group(1))
    return {
        "processor": model.group(1) if model else platform.machine(),
        "cores": len(os.sched_getaffinity(0)),
        "memoryGB": round(kilobytes / (1 << 20)),
        "kernel": platform.release(),
        "system": platform.freedesktop_os_release().get("PRETTY_NAME", platform.system()),
        "load": round(os.getloadavg()[0], 2),
    }


def _versions():
    return {
        "swift": _first("swift", "--version", find=r"Swift version ([\d.]+)"),
        "wrk": _first("wrk", "--version", find=r"wrk (?:debian/)?([\d.]+)"),
        "valgrind": _first("valgrind", "--version", find=r"valgrind-([\d.]+)"),
        "nginx": _first("/usr/sbin/nginx", "-v", find=r"nginx/([\d.]+)"),
        "sqlite": _first("sqlite3", "--version", find=r"^([\d.]+)"),
    }


def _commit(root):
    commit = _first("git", "-C", root, "rev-parse", "--short=12", "HEAD", find=r"^([0-9a-f]{12,})$")
    changed = _first("git", "-C", root, "status", "--porcelain", "--untracked-files=no", find=r"(.+)")
    return f"{commit}{' with changes' if changed else ''}" if commit else None


def _first(*command, find):
    try:
        result = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        return None
    match = re.search(find, result.stdout + result.stderr)
    return match.group(1) if match else None
