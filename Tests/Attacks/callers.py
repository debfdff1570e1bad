"""Callers without a key, or with the key of another tenant: what they add to the log, and what they make a cache keep."""

import http.client
import json
import os
import subprocess
import tempfile
import threading
import time

from result import Result
from service import CLICKS, Service

#: The default limit of an address, and what docs/operations.md says that an event with a link of 1 KB takes on the disk.
RATE, BURST = 100, 200
EVENT_BYTES = 2_048
#: More than one address may record in the seconds of the attack, and far less than its crowd sends.
DAY_BYTES = 4 << 20
LINKS = 100
SENDERS, CROWD = 4, 40


def _link(number):
    return f"https://{CLICKS}/product/{number}?utm_source=s{number:0300}&utm_campaign=c{number:0300}&utm_content={number:0300}"


def _links(number):
    links = [{"url": _link(number * LINKS + at), "clientEventId": f"c-{number}-{at}"} for at in range(LINKS)]
    return "/resolve", json.dumps({"links": links})


def _reports(number):
    events = [
        {"clientEventId": f"r-{number}-{at}", "occurredAt": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "result": "shown",
         "url": _link(number * LINKS + at), "context": {"platform": "ios"}, "outcome": "matched", "action": "open_app"}
        for at in range(LINKS)
    ]
    body = {"tenant": "shop", "app": "ios", "install": f"i-{number}", "engineVersion": "1.0", "events": events}
    return "/_fp/events", json.dumps(body)


def _send(service, source, path, body, answers):
    connection = http.client.HTTPConnection(*service.public, timeout=30, source_address=(source, 0))
    try:
        connection.request("POST", path, body)
        answer = connection.getresponse()
        answers.append((answer.status, b'"recorded":false' in answer.read()))
    finally:
        connection.close()


def _all(senders):
    for thread in (threads := [threading.Thread(target=sender) for sender in senders]):
        thread.start()
    for thread in threads:
        thread.join()


def _log_bytes(service):
    folder = os.path.join(service.data, "service", "events")
    return sum(os.path.getsize(os.path.join(folder, name)) for name in os.listdir(folder) if not name.endswith("-shm"))


def filling(target):
    """One address fills the log as fast as it can, then a crowd of addresses does."""
    service = Service(target.service.binary, FINGERPOST_RATE_LIMITS_EXEMPT="", FINGERPOST_LIMITS_DAY_BYTES=str(DAY_BYTES))
    answers, faults = [], []
    try:
        begin, until = _log_bytes(service), time.monotonic() + target.seconds

        def alone(sender):
            number = sender
            while time.monotonic() < until:
                _send(service, "127.0.0.1", *(_links if number % 2 else _reports)(number), answers)
                number += SENDERS

        started = time.monotonic()
        _all([lambda sender=sender: alone(sender) for sender in range(SENDERS)])
        seconds, events = time.monotonic() - started, service.metric("fingerpost_events_committed_total")
        alone_bytes = _log_bytes(service) - begin
        if events > BURST + LINKS + RATE * seconds:
            faults.append(f"one address recorded {events:.0f} events in {seconds:.1f} s, above its limit")
        # SQLite's files grow by pages, and the log has a WAL.
        if alone_bytes > EVENT_BYTES * (BURST + LINKS + RATE * seconds) * 2 + (1 << 20):
            faults.append(f"one address wrote {alone_bytes >> 10} KiB in {seconds:.1f} s")
        if {status for status, _ in answers} - {200, 429}:
            faults.append(f"unexpected answers: {sorted(set(answers))}")

        def crowd(sender):
            for number in range(sender, CROWD, SENDERS):
                _send(service, f"127.0.1.{1 + number}", *_links(1_000_000 + number), crowds)

        crowds, before = [], _log_bytes(service)
        _all([lambda sender=sender: crowd(sender) for sender in range(SENDERS)])
        crowd_bytes = _log_bytes(service) - before
        unrecorded = sum(1 for status, is_unrecorded in crowds if status == 200 and is_unrecorded)
        if any(status != 200 for status, _ in crowds) or not unrecorded:
            faults.append(f"a crowd of {CROWD} addresses: {sorted(set(crowds))}, {unrecorded} unrecorded")
        day = service.metric("fingerpost_day_bytes")
        # The messages of all senders may be on their way when the limit is reached.
        if day > DAY_BYTES + SENDERS * LINKS * 2 * EVENT_BYTES:
            faults.append(f"fingerpost_day_bytes is {day:.0f}, the limit {DAY_BYTES}")
        if b'"day bytes"' not in (ready := service.ask("ops", "/readyz?verbose")) or b'"degraded"' not in ready:
            faults.append(f"/readyz says {ready[:200]}")
    finally:
        if (status := service.stop()) != 0:
            faults.append(f"SIGTERM ended the service with {status}")
    told = (
        f"one address: {events:.0f} events, {alone_bytes / max(events, 1):.0f} bytes each, in {seconds:.0f} s; "
        f"the crowd: +{crowd_bytes >> 10} KiB, {unrecorded} of {CROWD} messages unrecorded"
    )
    return Result(f"messages of {LINKS} links of 1 KB and of {LINKS} reports, from one address and from {CROWD}", told, faults)


def _ask(service, method, path, body=None, **fields):
    connection = http.client.HTTPConnection(*service.public, timeout=30)
    try:
        connection.request(method, path, body, {"Host": CLICKS, **fields})
        answer = connection.getresponse()
        return answer.status, answer.getheader("Cache-Control") or "", answer.read()
    finally:
        connection.close()


def foreign(target):
    """A key of another tenant asks for the table of a host, and a caller without an app continues a sign-in."""
    with tempfile.TemporaryDirectory(prefix="fingerpost-attack.") as folder:
        key_file = os.path.join(folder, "table.jwk")
        subprocess.run([target.service.binary, "table", "keys", "create", key_file], check=True, capture_output=True)
        service = Service(target.service.binary, FINGERPOST_TABLES_SIGNING_KEY=key_file)
        faults = []
        try:
            made = service.ask(
                "admin", "/admin/v1/keys", json.dumps({"name": "app", "tenant": "blogs", "scopes": ["resolve"]}),
                **{"Content-Type": "application/json"},
            )
            key, path = json.loads(made)["key"], "/_fp/table?app=ios"
            until = time.monotonic() + 30
            while (usual := _ask(service, "GET", path))[0] == 503 and time.monotonic() < until:
                time.sleep(0.1)
            status, control, body = _ask(service, "GET", path, Authorization=f"Bearer {key}")
            if usual[0] != 200 or "public" not in usual[1]:
                faults.append(f"the table is answered with {usual[:2]}")
            if "public" in control and body != usual[2]:
                faults.append(f"a cache may keep another tenant's table: {status}, {control}")
            context = {"app": "ios", "platform": "ios"}
            first = json.loads(_ask(service, "POST", "/resolve", json.dumps({"url": "yourapp://user/anna", "context": context}))[2])
            token = first["continuation"]["token"]
            for app, expected in (({}, 400), ({"app": "android"}, 400), ({"app": "ios"}, 200)):
                message = {"continuation": token, "context": {"authenticated": True, **app}}
                if (status := _ask(service, "POST", "/resolve", json.dumps(message))[0]) != expected:
                    faults.append(f"a continuation for ios with the app {app} gets {status}, not {expected}")
        finally:
            if (status := service.stop()) != 0:
                faults.append(f"SIGTERM ended the service with {status}")
    return Result("the table of a host with another tenant's key; a continuation without its app", "404, 400", faults)


ATTACKS = {"filling the log": filling, "foreign callers": foreign}
