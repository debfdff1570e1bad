"""Startup with a full log, and the memory of the process: idle, and with a million routes."""

import os
import shutil
import statistics
import time

from figures import Figure, value_at_most
from publishing import settings, table
from servers import Service, resident_bytes, start_yardstick

MEGABYTE = 1 << 20
#: The routes are divided among this many tenants, so that each table fits the size limit of a document.
TENANTS = 4


def start(bench):
    """Time from process start to /readyz, with 10,000 routes and a log on disk, after a clean shutdown."""
    events = bench.size(bench.events, full=10_000_000, smoke=bench.events)
    if events < 10_000_000:
        bench.say(f"SMALLER: the log has {events:,} events, not the 10 million of the bound; --events 10000000 or --full")
    routes = bench.size(10_000, full=10_000, smoke=1_000)
    data = bench.scratch.path("started")
    service = Service(bench.scratch, bench.service_binary, data, "--demo")
    _publish(service, "bench", routes)
    service.stop()
    shutil.rmtree(os.path.join(data, "service", "events"))
    bench.say(f"writing {events:,} events")
    bench.scratch.run(bench.log_binary, "fill", os.path.join(data, "service", "events"), "--events", str(events), "--days", "30")
    empty = bench.scratch.path("empty")
    full, none, echo = [], [], []
    for _ in range(1 if bench.smoke else 5):
        for folder, times in ((data, full), (empty, none)):
            service = Service(bench.scratch, bench.service_binary, folder)
            times.append(service.start_seconds)
            service.stop()
        began = time.perf_counter()
        process, _ = start_yardstick(bench.scratch, bench.yardsticks_binary, "echo")
        echo.append(time.perf_counter() - began)
        bench.scratch.end(process)
    yield Figure(
        f"start, {routes:,} routes and {events:,} events", statistics.median(full), "seconds", "the echo", statistics.median(echo),
        bound=value_at_most(1), note=f"in an empty directory {statistics.median(none):.2g} s",
    )


def memory(bench):
    routes = bench.size(bench.routes, full=1_000_000, smoke=bench.routes)
    process, _ = start_yardstick(bench.scratch, bench.yardsticks_binary, "echo")
    data = bench.scratch.path("remembered")
    service = Service(bench.scratch, bench.service_binary, data, "--demo")
    idle = service.resident_bytes() / MEGABYTE
    echo = resident_bytes(process.pid) / MEGABYTE
    bench.scratch.end(process)
    yield Figure("resident, idle", idle, "MB", "the idle echo", echo, bound=value_at_most(60))
    bench.say(f"publishing {routes:,} routes")
    for number in range(TENANTS):
        _publish(service, f"bench{number}", routes // TENANTS)
    service.stop()
    service = Service(bench.scratch, bench.service_binary, data)
    if routes < 1_000_000:
        bench.say(f"SMALLER: {routes:,} routes, not the million of the bound; --routes 1000000 or --full")
    yield Figure(
        f"resident, started with {routes:,} routes", service.resident_bytes() / MEGABYTE, "MB", "the idle echo", echo,
        bound=value_at_most(700), note=f"of {TENANTS} tenants; ready in {service.start_seconds:.2f} s",
    )


def _publish(service, tenant, routes):
    service.ask_admin("PUT", f"tenants/{tenant}/settings", settings(tenant))
    service.ask_admin("PUT", f"tenants/{tenant}/draft", table(tenant, routes))
    service.ask_admin("POST", f"tenants/{tenant}/draft/publish", b"")
