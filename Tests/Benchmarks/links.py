"""Short links with millions of codes: clicks beside clicks of a route, creation beside the bare durable row, the start, and
the links with the most clicks."""

import json
import os
import random
import shutil
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

from figures import Figure, at_least, at_most, value_at_most
from servers import Service, start_yardstick

#: The second tenant is for the creations that are measured: the first may have as many links as a tenant may.
TENANTS = ("links", "created")
BULK = 10_000
#: Clicks a second and connections, as in latency.py.
RATE, CONNECTIONS = 600, 16
#: Unknown codes a second, and the addresses that try them.
FLOOD, ADDRESSES = 1_667, 1_000
CREATORS = 32


def figures(bench):
    scratch = bench.scratch
    codes = bench.size(1_000_000, full=5_000_000, smoke=2_000)
    if codes < 5_000_000:
        bench.say(f"SMALLER: {codes:,} short links, not the 5 million of the bounds; --full")
    data = scratch.path("linked")
    service = Service(scratch, bench.service_binary, data, "--demo")
    for tenant in TENANTS:
        _publish(service, tenant)
    bench.say(f"creating {codes:,} short links")
    _create(service, codes)
    key = service.key
    service.stop()
    _fill_log(bench, data, codes)
    starts = []
    for number in range(1 if bench.smoke else 5):
        if number:
            service.stop()
        service = Service(scratch, bench.service_binary, data, FINGERPOST_TRUSTED_PROXIES="127.0.0.1")
        starts.append(service.start_seconds)
    service.key = key
    yield Figure(f"start with {codes:,} short links", statistics.median(starts), "seconds", bound=value_at_most(1))
    yield _ranking(bench, service, codes)
    yield from _clicks(bench, service, codes)
    yield _creations(bench, service)
    service.stop()


def _publish(service, tenant):
    settings = {
        "domains": [f"go.{tenant}.test", {"host": f"www.{tenant}.test", "serves": "association"}],
        "destinations": {"hosts": [f"www.{tenant}.test"]},
    }
    table = {"routes": [
        {"id": "item", "path": "/item/{id:int}", "web": f"https://www.{tenant}.test/page/{{id}}"},
        {"id": "go", "path": "/s/{code}", "follow": "shortLinks"},
    ]}
    service.ask_admin("PUT", f"tenants/{tenant}/settings", json.dumps(settings).encode())
    service.ask_admin("PUT", f"tenants/{tenant}/draft", json.dumps(table).encode())
    service.ask_admin("POST", f"tenants/{tenant}/draft/publish", b"")


def _link(tenant, number):
    return {"target": f"https://www.{tenant}.test/item/{number}"}


def _create(service, codes):
    """Creates c0, c1, … in bulk requests, two at a time."""

    def send(first):
        links = ({"code": f"c{number}"} | _link("links", number) for number in range(first, min(first + BULK, codes)))
        body = "\n".join(json.dumps(link) for link in links).encode()
        service.ask_admin("POST", "tenants/links/short-links", body, **{"Content-Type": "application/x-ndjson"})

    with ThreadPoolExecutor(2) as pool:
        for _ in pool.map(send, range(0, codes, BULK)):
            pass


def _fill_log(bench, data, codes):
    events = bench.size(bench.events, full=10_000_000, smoke=bench.events)
    folder = os.path.join(data, "service", "events")
    shutil.rmtree(folder)
    bench.say(f"writing {events:,} clicks")
    bench.scratch.run(
        bench.log_binary, "fill", folder, "--events", str(events), "--days", "30", "--tenant", "links", "--short-links", str(codes)
    )


def _ranking(bench, service, codes):
    """The first answer counts as well: nobody opens this page twice in a row."""
    times = []
    for _ in range(1 if bench.smoke else 5):
        began = time.perf_counter()
        answer = service.ask_admin("GET", "tenants/links/stats/short-links")
        times.append(time.perf_counter() - began)
    if b'"c' not in answer:
        raise SystemExit(f"bench: stats/short-links names no link: {answer[:200]}")
    return Figure(
        f"stats/short-links over 30 days, {codes:,} short links", max(times), "seconds", bound=value_at_most(1),
        note=f"the slowest of {len(times)}",
    )


def _clicks(bench, service, codes):
    chance = random.Random(1)
    numbers = [chance.randrange(codes) for _ in range(100_000)]
    routes = _lines(bench, "routes", (f"/item/{number}" for number in numbers))
    links = _lines(bench, "links", (f"/s/c{number}" for number in numbers))
    unknown = _lines(
        bench, "unknown", (f"/s/x{number} 10.9.{number % ADDRESSES // 250}.{number % 250}" for number in range(100_000))
    )
    p99 = {"route": [], "link": [], "cold": [], "flooded": []}
    for number in range(bench.rounds):
        bench.say(f"clicks, round {number + 1} of {bench.rounds}")
        _read(os.path.join(service.data, "service", "links.db"))
        # Each round begins with the other one, as in latency.py.
        for name, paths in (("route", routes), ("link", links))[:: 1 if number % 2 else -1]:
            p99[name].append(_p99(bench, service, paths))
        flood = bench.scratch.start(*_load(bench, service, unknown, FLOOD, 10 * bench.seconds))
        p99["flooded"].append(_p99(bench, service, links))
        if flood.poll() is not None:
            raise SystemExit("bench: the connections of the unknown codes were closed.")
        bench.scratch.end(flood)
        if _dropped_cache(bench):
            p99["cold"].append(_p99(bench, service, links))
    for name, what, beside, limit in (
        ("link", "click of a short link", "route", 1.3), ("cold", "the same, after the page cache was dropped", "route", 2),
        ("flooded", f"the same, beside {FLOOD * 60:,} unknown codes a minute", "link", 2),
    ):
        if p99[name]:
            pairs = zip(p99[name], p99[beside])
            yield Figure(
                f"{what}, p99 at {RATE}/s", statistics.median(p99[name]), "µs",
                "click of a route" if beside == "route" else "click of a short link", statistics.median(p99[beside]),
                # Compares values of the same round, measured within seconds of each other.
                ratio=statistics.median(value / other for value, other in pairs), better=None, bound=at_most(limit),
            )


def _lines(bench, name, lines):
    path = bench.scratch.path(f"clicks-{name}")
    with open(path, "w") as file:
        file.writelines(line + "\n" for line in lines)
    return path


def _load(bench, service, paths, rate, seconds):
    return (
        bench.yardsticks_binary, "load", service.public, "--clicks", paths, "--host", "go.links.test", "--rate", str(rate),
        "--connections", str(CONNECTIONS), "--seconds", str(seconds),
    )


def _p99(bench, service, paths):
    result = json.loads(bench.scratch.run(*_load(bench, service, paths, RATE, bench.seconds)))
    if result["refused"]:
        raise SystemExit(f"bench: {result['refused']} clicks of {paths} were no redirects.")
    return result["p99"]


def _read(path):
    """Fills the page cache with a file."""
    with open(path, "rb") as file:
        while file.read(1 << 20):
            pass


def _dropped_cache(bench):
    """Drops what Linux keeps of files in memory. Returns whether it could."""
    os.sync()
    try:
        with open("/proc/sys/vm/drop_caches", "w") as file:
            file.write("1")
        return True
    except OSError as error:
        bench.say(f"SKIPPED: clicks after the page cache was dropped need root ({error})")
        return False


def _creations(bench, service):
    process, row = start_yardstick(bench.scratch, bench.yardsticks_binary, "durable", bench.scratch.path("links-rows.db"))
    rates, rows = [], []
    for number in range(bench.rounds):
        bench.say(f"creations, round {number + 1} of {bench.rounds}")
        rates.append(_creation_rate(bench, service, f"{service.admin}/admin/v1/tenants/created/short-links"))
        rows.append(_creation_rate(bench, service, f"{row}/"))
    bench.scratch.end(process)
    return Figure(
        f"create short links, {CREATORS} connections", statistics.median(rates), "a second", "hello and a row on disk",
        statistics.median(rows), ratio=statistics.median(rate / beside for rate, beside in zip(rates, rows)), better="higher",
        bound=at_least(0.5),
    )


def _creation_rate(bench, service, address):
    printed = bench.scratch.run(
        "wrk", "--threads", "2", "--connections", str(CREATORS), "--duration", f"{max(1, round(bench.seconds))}s",
        "--script", os.path.join(bench.here, "create.lua"), f"http://{address}", BODY=json.dumps(_link("created", 7)),
        KEY=service.key,
    )
    result = json.loads(printed.splitlines()[-1])
    if result["failed"]:
        raise SystemExit(f"bench: {result['failed']} requests to {address} failed.")
    return result["rate"]
