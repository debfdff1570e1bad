"""One editor checks, plans and publishes the largest tables in a loop. Clients of other tenants, probes and a shutdown must
not notice."""

import http.client
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

from result import Result
from service import Service, take_usual_time

RATE = 600
#: The p99 of other tenants may be twice the undisturbed one, and that of /livez this many seconds. Below FLOOR seconds, a
#: difference is that of the client.
FACTOR, FLOOR, PROBE = 2, 0.005, 0.05
#: shutdown.graceSeconds, and what the process may take beyond it.
GRACE, ENDING = 5, 3
#: Statuses within the limits of editors.
EXPECTED = (200, 201, 409, 413, 422, 429, 503)


def _tables():
    """The most routes, the most bytes, and routes that all overlap."""
    def table(routes):
        return json.dumps({"routes": list(routes)}, separators=(",", ":")).encode()

    def route(number, path, **members):
        # Pages, because an association file has no room for so many routes that open an app.
        return {"id": f"r{number}", "path": path, "web": "https://farechoice.taxi/page", **members}

    yield table(route(number, f"/p/{number}/{{id}}") for number in range(40_000))
    yield table(route(number, f"/p/{number}/{{id}}", note="x" * 700) for number in range(40_000))
    yield table(
        route(2 * number + half, path)
        for number in range(1_000) for half, path in enumerate((f"/{{a}}/open-{number}", f"/closed-{number}/{{b}}"))
    )


def _edit(service, key, tables, ended, statuses):
    """Sends one request after the other until `ended` is set or the service ends."""
    operations = (("PUT", "draft", True), ("POST", "draft/check", True), ("POST", "draft/plan", True), ("POST", "draft/publish", False))
    while True:
        for table in tables:
            for method, path, has_body in operations:
                if ended.is_set():
                    return
                connection = http.client.HTTPConnection(*service.admin, timeout=240)
                try:
                    connection.request(
                        method, f"/admin/v1/tenants/taxi/{path}", table if has_body else None,
                        {"Authorization": f"Bearer {key}", "Content-Type": "application/json"},
                    )
                    answer = connection.getresponse()
                    answer.read()
                    statuses.append(answer.status)
                except OSError as error:
                    if not ended.is_set():
                        statuses.append(type(error).__name__)
                        time.sleep(0.1)
                finally:
                    connection.close()


def _probe(service, ended, latencies):
    while not ended.is_set():
        begin = time.monotonic()
        try:
            service.ask("ops", "/livez", timeout=10)
            latencies.append((begin, time.monotonic() - begin))
        except OSError:
            latencies.append((begin, 10))
        ended.wait(0.05)


def _p99(latencies):
    latencies = sorted(latencies)
    return latencies[int(len(latencies) * 0.99)] if latencies else float("nan")


def _between(path, begin, end):
    """Latencies and failures of the clients' requests that were due between the two times."""
    latencies, failures = [], 0
    with open(path) as lines:
        for line in lines:
            if line.endswith("\n"):
                due, _, latency, _ = line.split()
                if begin <= float(due) < end:
                    latencies.append(float(latency))
                    failures += float(latency) >= 10
    return latencies, failures


def busy(target):
    quiet_seconds, busy_seconds = (5, 10) if target.is_short else (15, 45)
    service = Service(target.service.binary, FINGERPOST_SHUTDOWN_GRACE_SECONDS=str(GRACE), FINGERPOST_SHUTDOWN_DRAIN_SECONDS="0")
    out = os.path.join(service.scratch, "load")
    here = os.path.dirname(os.path.abspath(__file__))
    load = subprocess.Popen(
        [sys.executable, os.path.join(here, "legitimate.py"), str(service.ports["public"]), "--rate", str(RATE), "--out", out],
        preexec_fn=take_usual_time,
    )
    faults, statuses, probes, ended, probed = [], [], [], threading.Event(), threading.Event()
    made = service.ask(
        "admin", "/admin/v1/keys",
        json.dumps({"name": "editor", "tenant": "taxi", "scopes": ["tables:read", "tables:write", "publish"]}),
        **{"Content-Type": "application/json"},
    )
    tables = list(_tables())
    prober = threading.Thread(target=_probe, args=(service, probed, probes))
    editor = threading.Thread(target=_edit, args=(service, json.loads(made)["key"], tables, ended, statuses))
    prober.start()
    time.sleep(2)
    start = time.monotonic()
    time.sleep(quiet_seconds)
    middle = time.monotonic()
    editor.start()
    time.sleep(busy_seconds)
    end = time.monotonic()
    load.send_signal(signal.SIGTERM)
    load.wait(30)
    probed.set()
    prober.join()
    quiet, _ = _between(out, start, middle)
    others, failures = _between(out, middle, end)
    usual, slow = _p99(quiet), _p99(others)
    probe = _p99([latency for begin, latency in probes if begin >= middle])
    # The editor goes on: the shutdown comes in the middle of its work.
    ended.set()
    begin = time.monotonic()
    status = service.stop()
    stopped = time.monotonic() - begin
    editor.join()
    if failures:
        faults.append(f"{failures} of {len(others)} requests of other tenants failed")
    if slow > max(FACTOR * usual, FLOOR):
        faults.append(f"p99 of other tenants {slow * 1000:.1f} ms, but {usual * 1000:.1f} ms without the editor")
    if probe > PROBE:
        faults.append(f"p99 of /livez {probe * 1000:.0f} ms")
    if unknown := [status for status in statuses if status not in EXPECTED]:
        faults.append(f"the editor got {unknown[:5]}")
    if 201 not in statuses:
        faults.append("the editor published nothing")
    if status != 0 or stopped > GRACE + ENDING:
        faults.append(f"SIGTERM ended the service with {status} after {stopped:.1f} s")
    counts = ", ".join(f"{count} × {status}" for status, count in sorted(Counter(statuses).items(), key=str))
    return Result(
        f"{RATE} requests a second of other tenants; tables of {', '.join(f'{len(table) >> 20} MiB' for table in tables)}",
        f"editor {counts}; p99 {usual * 1000:.1f} ms, then {slow * 1000:.1f}; /livez {probe * 1000:.1f} ms; ended after {stopped:.1f} s",
        faults,
    )


ATTACKS = {"busy editor": busy}
