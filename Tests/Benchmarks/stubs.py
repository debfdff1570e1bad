"""The stub server beside the real WireMock, in turn on the same folders: start to the first answer, memory, rate and p99.

$WIREMOCK_JAR names the real server, which ./dev takes from PyPI. Without it, Fingerpost is measured alone."""

import json
import os
import shutil
import statistics
import subprocess
import time
import urllib.error
import urllib.request

from figures import Figure, at_least, at_most
from servers import free_port, resident_bytes, wait_until

COUNTS = (1, 100, 5_000)
CONNECTIONS = 32
MEGABYTE = 1 << 20
#: Both servers keep so many requests. WireMock's own default is all of them.
JOURNAL = "10000"


class Folder:
    """A folder of mappings, one a file, and the targets of GET requests that they answer."""

    def __init__(self, path, count):
        self.path, self.count = path, count
        os.makedirs(os.path.join(path, "mappings"))
        os.makedirs(os.path.join(path, "__files"))
        targets = []
        for number in range(count):
            mapping, target = _mapping(number)
            with open(os.path.join(path, "mappings", f"{number:05}.json"), "w") as file:
                json.dump(mapping, file)
            if target:
                targets.append(target)
        self.targets = path + ".targets"
        with open(self.targets, "w") as file:
            # In an order that is the same in each run and different from that of the files.
            file.write("\n".join(sorted(targets, key=lambda target: _hash(target))) + "\n")
        self.first = targets[0]


def _hash(text):
    value = 0
    for byte in text.encode():
        value = (value * 31 + byte) & 0xFFFFFFFF
    return value * 2654435761 & 0xFFFFFFFF


def _mapping(number):
    """A mapping and a target with GET that it answers: most have a literal path, some an expression, a template or a
    body pattern."""
    answer = {
        "status": 200, "headers": {"Content-Type": "application/json"},
        "jsonBody": {"id": number, "name": f"Item {number}", "tags": ["a", "b"], "price": {"amount": number * 10, "currency": "EUR"}},
    }
    match number % 10:
        case 7:
            return {"request": {"method": "GET", "urlPathPattern": f"/orders/{number}/[0-9]+"}, "response": answer}, f"/orders/{number}/12"
        case 8:
            template = {"status": 200, "body": "{{request.path.[1]}} {{request.query.q}}", "transformers": ["response-template"]}
            return {"request": {"method": "GET", "urlPath": f"/texts/{number}"}, "response": template}, f"/texts/{number}?q=a"
        case 9:
            body = {"matchesJsonPath": f"$.items[?(@.id == {number})]"}
            return {"request": {"method": "POST", "urlPath": f"/carts/{number}", "bodyPatterns": [body]}, "response": answer}, None
        case _:
            return {"request": {"method": "GET", "urlPath": f"/items/{number}"}, "response": answer}, f"/items/{number}"


class Server:
    """A stub server on a folder. Its times and rates are kept by the number of stubs."""

    def __init__(self, name, bench, command):
        self.name, self._bench, self._command = name, bench, command
        self.starts, self.resident, self.loaded, self.rates, self.p99 = {}, {}, {}, {}, {}

    def start(self, folder):
        """Starts the server, waits for its first answer from a stub, and keeps the time and the memory."""
        self._port = free_port()
        began = time.perf_counter()
        # Fingerpost ends when its standard input does.
        self._process = self._bench.scratch.start(*self._command(self._port, folder.path), stdin=subprocess.PIPE)
        wait_until(lambda: self._answers(folder.first), 120, f"{self.name} with {folder.count} stubs did not answer")
        self.starts.setdefault(folder.count, []).append(time.perf_counter() - began)
        self.resident.setdefault(folder.count, []).append(resident_bytes(self._process.pid) / MEGABYTE)

    def _answers(self, target):
        if self._process.poll() is not None:
            raise SystemExit(f"bench: {self.name} ended with {self._process.returncode}.")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self._port}{target}", timeout=30) as answer:
                return answer.status == 200
        except urllib.error.HTTPError as error:
            raise SystemExit(f"bench: {self.name} answered {target} with {error.code}.") from None
        except OSError:
            return False

    def load(self, folder, seconds, keeps=True):
        printed = self._bench.scratch.run(
            "wrk", "--threads", "1", "--connections", str(CONNECTIONS), "--duration", f"{max(1, round(seconds))}s", "--timeout", "30s",
            "--script", os.path.join(self._bench.here, "stubs.lua"), f"http://127.0.0.1:{self._port}/", TARGETS=folder.targets,
        )
        result = json.loads(printed.splitlines()[-1])
        if result["failed"]:
            raise SystemExit(f"bench: {result['failed']} requests to {self.name} failed.")
        if keeps:
            self.rates.setdefault(folder.count, []).append(result["rate"])
            self.p99.setdefault(folder.count, []).append(result["p99"])
            self.loaded.setdefault(folder.count, []).append(resident_bytes(self._process.pid) / MEGABYTE)

    def stop(self):
        self._bench.scratch.end(self._process)


def figures(bench):
    ours = Server(
        "fingerpost stub", bench,
        lambda port, folder: [bench.service_binary, "stub", folder, "--port", str(port), "--max-request-journal-entries", JOURNAL],
    )
    theirs = _wiremock(bench)
    servers = [ours] + ([theirs] if theirs else [])
    counts = bench.size(COUNTS, full=COUNTS, smoke=(1, 20))
    folders = [Folder(bench.scratch.path(f"stubs-{count}"), count) for count in counts]
    for number in range(bench.rounds):
        bench.say(f"stub server, round {number + 1} of {bench.rounds}")
        for folder in folders:
            for server in servers if number % 2 == 0 else reversed(servers):
                server.start(folder)
                if not bench.smoke:
                    # A virtual machine compiles while it runs.
                    server.load(folder, bench.seconds, keeps=False)
                server.load(folder, bench.seconds)
                server.stop()
    for folder in folders:
        yield from _beside(folder.count, ours, theirs)


def _wiremock(bench):
    jar = os.environ.get("WIREMOCK_JAR")
    if not jar or not os.path.exists(jar) or not shutil.which("java"):
        bench.say("SKIPPED: the real WireMock is not there; it needs Java and access to PyPI. Fingerpost is measured alone.")
        return None
    return Server(
        "WireMock", bench,
        lambda port, folder: [
            "java", "-jar", jar, "--disable-banner", "--bind-address", "127.0.0.1", "--port", str(port), "--root-dir", folder,
            "--local-response-templating", "--max-request-journal-entries", JOURNAL,
        ],
    )


def _beside(count, ours, theirs):
    stubs = f"{count:,} stub{'s' if count > 1 else ''}"
    bounds = {"starts": at_most(0.2), "resident": at_most(0.333), "rates": at_least(3) if count == 100 else None}
    for attribute, what, unit, better in (
        ("starts", "start to the first answer", "seconds", "lower"), ("resident", "resident after it", "MB", "lower"),
        ("loaded", f"resident after requests on {CONNECTIONS} connections", "MB", "lower"),
        ("rates", f"requests on {CONNECTIONS} connections", "a second", "higher"), ("p99", "their p99", "µs", "lower"),
    ):
        values = getattr(ours, attribute)[count]
        figure = Figure(f"stub server, {stubs}, {what}", statistics.median(values), unit, better=better)
        if theirs:
            others = getattr(theirs, attribute)[count]
            figure.beside, figure.yardstick = theirs.name, statistics.median(others)
            # Compares values of the same round, measured within seconds of each other.
            figure.ratio = statistics.median(value / other for value, other in zip(values, others))
            figure.bound = bounds.get(attribute)
        yield figure
