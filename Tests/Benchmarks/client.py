"""An app with a signed table: its size, loading it, and resolving a link, compared with hand-written code."""

import gzip
import json
import statistics

from figures import Figure, value_at_most

ROUTES = 10_000
KILOBYTE, MEGABYTE = 1_000, 1_000_000


def figures(bench):
    routes = bench.size(ROUTES, full=ROUTES, smoke=500)
    table = bench.scratch.path("shop.table")
    bench.say(f"signing a table of {routes:,} routes")
    bench.scratch.run(bench.client_binary, "sign", str(routes), table)
    with open(table, "rb") as file:
        content = file.read()
    yield Figure(
        f"signed table of {routes:,} routes, compressed", len(gzip.compress(content, 6)), "bytes",
        bound=value_at_most(400 * KILOBYTE), note=f"gzip -6; {len(content):,} uncompressed",
    )
    yield from _loading(bench, routes, table)
    yield from _resolving(bench, routes, table)


def _loading(bench, routes, table):
    bench.say("loading it in new processes")
    runs = [
        json.loads(bench.scratch.run(bench.client_binary, "load", table)) for _ in range(1 if bench.smoke else 15)
    ]

    def median(name):
        return statistics.median(run[name] for run in runs)

    # The first load of a process, as in an app that starts: nothing is in the processor's caches.
    yield Figure(
        f"load a table of {routes:,} routes", median("seconds"), "seconds", bound=value_at_most(0.030),
        note=f"file, signature, JSON, index; slowest of {len(runs)}: {max(run['seconds'] for run in runs) * 1_000:.3g} ms",
    )
    yield Figure(
        f"resident memory of a table of {routes:,} routes", median("resident"), "bytes",
        bound=value_at_most(12 * MEGABYTE), better=None, note=f"at most {median('peak'):,.0f} while it is loaded",
    )


def _resolving(bench, routes, table):
    bench.say("resolving links")
    seconds = min(0.3, bench.seconds / 10)
    times = json.loads(
        bench.scratch.run(
            bench.client_binary, "resolve", table, str(routes), "--seconds", str(seconds), "--rounds",
            str(1 if bench.smoke else 7),
        )
    )
    yield Figure(
        f"resolve a link in an app, {routes:,} routes", times["resolve"], "ns", "URLComponents and a switch",
        times["handWritten"], bound=value_at_most(50_000),
        note=f"999 of 1,000 single calls: at most {times['slowest'] / 1_000:.3g} µs",
    )
    yield Figure(
        f"resolve the first link of a route, {routes:,} routes", times["first"], "ns", bound=value_at_most(50_000),
        note=f"decodes the route; 999 of 1,000 single calls: at most {times['slowestFirst'] / 1_000:.3g} µs",
    )
