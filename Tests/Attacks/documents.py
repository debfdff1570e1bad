"""The largest documents that the limits allow, ten at a time, in forms that are small on the wire and large in memory.
"""

import http.client
import json
import re
import threading
import time
from collections import Counter

from result import Result
from service import Service

#: How much the resident size may grow, and how much of the growth may remain after the requests.
GROWTH_BYTES, LEFT_BYTES = 256 << 20, 96 << 20
#: limits.tableBytes, limits.tableRoutes and the maximum number of values in a document.
TABLE_BYTES, ROUTES, VALUES = 32 << 20, 40_000, 1_000_000
AT_ONCE, AT_ONCE_SHORT = 10, 4
TENANTS = ("shop", "taxi")


def _route(number, note=""):
    return {"id": f"r{number}", "path": f"/p/{number}/{{id}}", "note": note, "open": {"screen": "Page", "arguments": {"id": "{id}"}}}


def _table(count, note=""):
    return json.dumps({"routes": [_route(number, note) for number in range(count)]}, separators=(",", ":"))


def _shapes():
    """Yields name, operation, content type and body."""
    json_, yaml = "application/json", "application/yaml"
    yield "numbers", "check", json_, f'{{"x":[{"0," * (VALUES - 4)}0]}}'
    yield "lists", "check", json_, f'{{"x":[{"[0]," * (VALUES // 2 - 4)}0]}}'
    yield "keys", "check", json_, "{" + ",".join(f'"a key of some length {number}":0' for number in range(VALUES // 2 - 4)) + "}"
    yield "a text", "plan", json_, f'{{"routes":[{json.dumps(_route(0, "x" * (TABLE_BYTES - 1_000)))}]}}'
    yield "routes", "check", json_, _table(ROUTES)
    yield "large routes", "plan", json_, _table(ROUTES, "x" * 700)
    yield "lines", "routes", "application/x-ndjson", "\n".join([f"[{'[0],' * 200_000}0]"] * 2)
    yield "YAML", "check", yaml, f"routes: [{'0,' * 290_000}0]"


def _keys(service):
    """One key for each tenant and one for all tenants: each may use half of the memory for large bodies."""
    keys = [service.key]
    for tenant in TENANTS:
        made = service.ask(
            "admin", "/admin/v1/keys", json.dumps({"name": "documents", "tenant": tenant, "scopes": ["tables:read", "tables:write"]}),
            **{"Content-Type": "application/json"},
        )
        keys.append(json.loads(made)["key"])
    return keys


def _send(service, tenant, key, question, kind, body, statuses):
    connection = http.client.HTTPConnection(*service.admin, timeout=240)
    try:
        connection.request(
            "POST", f"/admin/v1/tenants/{tenant}/draft/{question}", body, {"Authorization": f"Bearer {key}", "Content-Type": kind}
        )
        answer = connection.getresponse()
        answer.read()
        statuses.append(answer.status)
    except (BrokenPipeError, ConnectionResetError):
        # The server refused the body and closed the connection during the upload.
        statuses.append(503)
    except OSError as error:
        statuses.append(type(error).__name__)
    finally:
        connection.close()


def _peak_bytes(service):
    with open(f"/proc/{service.pid}/status") as status:
        return int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1)) * 1024


def largest(target):
    at_once = AT_ONCE_SHORT if target.is_short else AT_ONCE
    service, faults, told = Service(target.service.binary), [], []
    try:
        keys, before = _keys(service), service.resident_bytes()
        for name, question, kind, body in _shapes():
            if len(body) > TABLE_BYTES:
                faults.append(f"{name}: the body has {len(body)} bytes, more than the limit")
            with open(f"/proc/{service.pid}/clear_refs", "w") as peak:
                peak.write("5")
            statuses, begin = [], time.monotonic()
            threads = [
                threading.Thread(
                    target=_send,
                    args=(service, TENANTS[number % 2], keys[number % 3 if number % 3 == 0 else 1 + number % 2], question, kind, body, statuses),
                )
                for number in range(at_once)
            ]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            seconds = time.monotonic() - begin
            growth = _peak_bytes(service) - before
            until = time.monotonic() + 60
            while (left := service.resident_bytes() - before) > LEFT_BYTES and time.monotonic() < until:
                time.sleep(0.5)
            counts = ", ".join(f"{count} × {status}" for status, count in sorted(Counter(statuses).items(), key=str))
            told.append(f"{name} ({len(body) >> 10} KiB): {counts} in {seconds:.0f} s, +{growth >> 20} MiB, then +{left >> 20}")
            if unknown := [status for status in statuses if status not in (200, 400, 422, 429, 503)]:
                faults.append(f"{name}: {unknown}")
            if growth > GROWTH_BYTES:
                faults.append(f"{name}: the service grew by {growth >> 20} MiB, more than {GROWTH_BYTES >> 20}")
            if left > LEFT_BYTES:
                faults.append(f"{name}: {left >> 20} MiB of the growth remained after 60 s")
    finally:
        if (status := service.stop()) != 0:
            faults.append(f"SIGTERM ended the service with {status}")
    return Result(f"the largest documents, {at_once} at a time", "; ".join(told), faults)


ATTACKS = {"largest documents": largest}
