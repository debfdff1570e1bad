"""Measures the time until a publication of 10,000 routes is live, and the latency of requests during publications."""

import json
import os
import statistics
import time

from figures import Figure, at_most, value_at_most
from servers import Service


def settings(tenant):
    return json.dumps({
        "domains": [{"host": f"www.{tenant}.test", "serves": "association"}], "schemes": [tenant],
        "association": {"detail": "coarse"},
    }).encode()


def table(tenant, count, generation=0):
    routes = ",".join(
        f'{{"id":"r{index}","path":"/{index}/{{id:int}}","open":{{"screen":"G{generation}"}}}}' for index in range(count)
    )
    return f'{{"defaults":{{"fallback":{{"web":"https://www.{tenant}.test/"}}}},"routes":[{routes}]}}'.encode()


def figures(bench):
    service = Service(bench.scratch, bench.service_binary, bench.scratch.path("published"), "--demo")
    service.ask_admin("PUT", "tenants/bench/settings", settings("bench"))
    routes = bench.size(10_000, full=10_000, smoke=1_000)
    bench.say(f"publishing {routes:,} routes repeatedly, under the load of 64 connections")
    quiet = _ended(_load(bench, service))
    # Each publication changes every route. The documents are built in advance, because the load uses all cores.
    tables = [table("bench", routes, generation) for generation in range(2)]
    load = _load(bench, service)
    written, live, parsed = [], [], []
    while load[0].poll() is None:
        start = time.perf_counter()
        service.ask_admin("PUT", "tenants/bench/draft", tables[len(written) % 2])
        middle = time.perf_counter()
        service.ask_admin("POST", "tenants/bench/draft/publish", b"")
        end = time.perf_counter()
        json.loads(tables[0])
        written.append(middle - start)
        live.append(end - middle)
        parsed.append(time.perf_counter() - end)
    busy = _ended(load)
    service.stop()
    yield Figure(
        f"publish {routes:,} routes, until live", max(live), "seconds", "Python's json.loads of them", statistics.median(parsed),
        bound=value_at_most(1),
        note=f"the slowest of {len(live)} under load, after {statistics.median(written):.2g} s to write the draft",
    )
    yield Figure(
        "POST /resolve while publications follow each other, p99", busy["p99"], "µs", "while nothing is published", quiet["p99"],
        bound=at_most(3),
    )


def _load(bench, service):
    output = bench.scratch.path("load")
    return bench.scratch.start(
        "wrk", "--threads", "1", "--connections", "64", "--duration", f"{max(2, round(bench.seconds))}s",
        "--script", os.path.join(bench.here, "resolve.lua"), f"http://{service.public}/", output=output, BODIES=bench.bodies(),
    ), output


def _ended(load):
    process, output = load
    process.wait()
    with open(output) as file:
        return json.loads(file.read().splitlines()[-1])
