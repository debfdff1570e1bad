"""Measures nodes with a catalog in PostgreSQL, beside one node with SQLite, at a constant rate of links."""

import json
import os
import statistics
import sys
import time
import urllib.request

from figures import Figure, at_most, value_at_most
from publishing import settings, table
from servers import Service

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "PostgresStorage"))

#: Links a second. It leaves more than half a core of two idle, which the output says.
RATE, CONNECTIONS = 600, 16
#: The bounds, in the order of the figures.
AWAY, SHIPPING, PROCESSOR, BACKLOG, PUBLISH, LIVE, FAILOVER = 1.1, 1.1, 1.3, 1.1, 1.5, 2, 5


def figures(bench):
    from postgres import Server

    bins = sorted((f"/usr/lib/postgresql/{name}/bin" for name in _listed("/usr/lib/postgresql")), key=_version)
    if not bins:
        bench.say("SKIPPED: fleet needs the package postgresql")
        return
    os.chmod(bench.scratch.folder, 0o711)
    primary = Server(bins[-1], bench.scratch.path("primary"), disk="8g").create().start()
    standby = Server(bins[-1], bench.scratch.path("standby"), disk="8g").copy(primary).start()
    primary.sql("CREATE DATABASE nodes ENCODING 'UTF8' TEMPLATE template0")
    try:
        yield from _measured(bench, primary, standby)
    finally:
        for server in (primary, standby):
            server.stop(check=False)


def _measured(bench, primary, standby):
    def node(name, *flags):
        return Service(
            bench.scratch, bench.service_binary, bench.scratch.path(name), *flags, FINGERPOST_NODE=name,
            FINGERPOST_STORE_KIND="postgresql", FINGERPOST_STORE_HOSTS=f"{primary.folder},{standby.folder}",
            FINGERPOST_STORE_DATABASE="nodes", FINGERPOST_STORE_USER="postgres",
        )

    nodes = [node("x", "--demo"), node("y"), node("z")]
    alone = Service(bench.scratch, bench.service_binary, bench.scratch.path("alone"), "--demo")
    for other in nodes[1:]:
        other.key = nodes[0].key
    for service in (nodes[0], alone):
        service.ask_admin("PUT", "tenants/bench/settings", settings("bench"))

    yield from _away(bench, nodes[0], primary)
    yield from _backlog(bench, nodes[0], primary)
    yield from _publications(bench, nodes[0], alone)
    alone.stop()
    yield from _live(bench, nodes)

    bench.say("failing over")
    primary.stop()
    standby.promote()
    began = time.perf_counter()
    while not _published(nodes[0], generation=9):
        if time.perf_counter() - began > 60:
            raise SystemExit("bench: no publication within a minute after a failover")
        time.sleep(0.05)
    yield Figure(
        "the first publication after a standby takes writes", time.perf_counter() - began, "seconds",
        bound=value_at_most(FAILOVER), better=None,
    )
    for service in nodes:
        service.stop()


def _away(bench, node, primary):
    """Links with PostgreSQL, without it, and with it while nothing is shipped."""
    there, gone, quiet, idle, busy, paused = [], [], [], [], [], []
    for number in range(bench.rounds):
        bench.say(f"links without PostgreSQL, round {number + 1} of {bench.rounds}")
        before = _idle_seconds(), time.perf_counter(), _processor_seconds(node)
        there.append(_p99(bench, node))
        idle.append((_idle_seconds() - before[0]) / (time.perf_counter() - before[1]))
        busy.append(_processor_seconds(node) - before[2])
        # A foreign nonce pauses shipping, and nothing else.
        primary.sql("UPDATE shipped_log SET nonce = 'paused ' || nonce", "nodes")
        time.sleep(2)
        before = _processor_seconds(node)
        quiet.append(_p99(bench, node))
        paused.append(_processor_seconds(node) - before)
        primary.sql("UPDATE shipped_log SET nonce = substr(nonce, 8)", "nodes")
        _wait_until_shipped(node)
        primary.stop()
        gone.append(_p99(bench, node))
        primary.start()
        _wait_until_shipped(node)
    yield Figure(
        f"POST /resolve at {RATE}/s while PostgreSQL is gone, p99", statistics.median(gone), "µs", "while it is there",
        statistics.median(there), better=None, bound=at_most(AWAY),
        ratio=statistics.median(away / near for away, near in zip(gone, there)), note=f"{min(idle):.1f} cores idle",
    )
    yield Figure(
        f"POST /resolve at {RATE}/s while the log is shipped, p99", statistics.median(there), "µs", "while shipping pauses",
        statistics.median(quiet), better=None, bound=at_most(SHIPPING),
        ratio=statistics.median(near / other for other, near in zip(quiet, there)),
    )
    yield Figure(
        "processor time of the node then", statistics.median(busy), "seconds", "while shipping pauses",
        statistics.median(paused), better=None, bound=at_most(PROCESSOR),
        ratio=statistics.median(one / other for one, other in zip(busy, paused)),
    )


def _backlog(bench, node, primary):
    """What was recorded while PostgreSQL was gone is shipped while links are answered."""
    quiet = [_p99(bench, node) for _ in range(bench.rounds)]
    primary.stop()
    rows = bench.size(100_000, full=1_000_000, smoke=5_000)
    while _unshipped(node) < rows:
        bench.say("recording a backlog")
        bench.scratch.run(
            bench.yardsticks_binary, "load", node.public, "--bodies", bench.bodies(), "--rate", "20000", "--connections", "64",
            "--seconds", "5",
        )
    rows = _unshipped(node)
    primary.start()
    busy, began = [], time.perf_counter()
    while _unshipped(node) > 1_000:
        busy.append(_p99(bench, node))
    seconds = time.perf_counter() - began
    yield Figure(
        f"POST /resolve at {RATE}/s while a backlog is shipped, p99", statistics.median(busy), "µs", "before",
        statistics.median(quiet), better=None, bound=at_most(BACKLOG), note=f"{rows:,.0f} rows in at most {seconds:.0f} s",
    )


def _unshipped(node):
    with urllib.request.urlopen(f"http://127.0.0.1:{node.ops}/metrics") as answer:
        lines = answer.read().decode().splitlines()
    values = [float(line.split()[1]) for line in lines if line.startswith("fingerpost_log_unshipped_rows ")]
    return values[0] if values else float("inf")


def _wait_until_shipped(node):
    end = time.perf_counter() + 120
    while _unshipped(node) > 1_000:
        if time.perf_counter() > end:
            raise SystemExit("bench: the log was not shipped within two minutes")
        time.sleep(0.2)


def _processor_seconds(node):
    with open(f"/proc/{node.process.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _p99(bench, node):
    printed = bench.scratch.run(
        bench.yardsticks_binary, "load", node.public, "--bodies", bench.bodies(), "--rate", str(RATE),
        "--connections", str(CONNECTIONS), "--seconds", str(bench.seconds),
    )
    result = json.loads(printed)
    if result["refused"]:
        raise SystemExit(f"bench: a node refused {result['refused']} links")
    return result["p99"]


def _publications(bench, node, alone):
    count = bench.size(10_000, full=10_000, smoke=500)
    tables = [table("bench", count, generation) for generation in range(2)]
    times = {node: [], alone: []}
    for number in range(2 * max(bench.rounds, 2)):
        bench.say(f"publishing {count:,} routes, {number + 1}")
        for service in (node, alone) if number % 2 else (alone, node):
            service.ask_admin("PUT", "tenants/bench/draft", tables[number % 2])
            began = time.perf_counter()
            service.ask_admin("POST", "tenants/bench/draft/publish", b"")
            times[service].append(time.perf_counter() - began)
    yield Figure(
        f"publish {count:,} routes, until live, catalog in PostgreSQL", statistics.median(times[node]), "seconds",
        "in SQLite", statistics.median(times[alone]), better=None, bound=at_most(PUBLISH),
        ratio=statistics.median(one / other for one, other in zip(times[node], times[alone])),
    )


def _live(bench, nodes):
    count = bench.size(100, full=100, smoke=3)
    bench.say(f"{count} publications until they are live on {len(nodes)} nodes")
    late = []
    for generation in range(10, 10 + count):
        publishing = nodes[generation % len(nodes)]
        if not _published(publishing, generation):
            raise SystemExit("bench: a publication was refused")
        began = time.perf_counter()
        while any(_screen(node) != f"G{generation}" for node in nodes):
            if time.perf_counter() - began > 30:
                raise SystemExit(f"bench: a publication is not live after 30 s: {[_screen(node) for node in nodes]}")
            time.sleep(0.01)
        late.append(time.perf_counter() - began)
    yield Figure(
        f"a publication is live on {len(nodes)} nodes, after it is on its own", max(late), "seconds",
        bound=value_at_most(LIVE), better=None,
        note=f"the slowest of {count}, median {statistics.median(late):.2g} s",
    )


def _published(node, generation):
    try:
        node.ask_admin("PUT", "tenants/bench/draft", table("bench", 1, generation), timeout=5)
        node.ask_admin("POST", "tenants/bench/draft/publish", b"", timeout=5)
        return True
    except (SystemExit, OSError):
        return False


def _screen(node):
    request = urllib.request.Request(f"http://{node.public}/resolve", b'{"url":"https://www.bench.test/0/1"}', {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=10) as answer:
        return json.loads(answer.read()).get("destination", {}).get("screen")


def _idle_seconds():
    with open("/proc/stat") as file:
        return int(file.readline().split()[4]) / os.sysconf("SC_CLK_TCK")


def _listed(folder):
    return os.listdir(folder) if os.path.isdir(folder) else []


def _version(path):
    return [int(part) if part.isdigit() else 0 for part in path.split("/")]
