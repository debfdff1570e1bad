"""Starting beside a full log, and what the process holds: idle, and with a million routes."""

import os
import shutil
import statistics

from figures import Figure, value_at_most
from publishing import settings, table
from servers import Service, resident_bytes, start_yardstick

MEGABYTE = 1 << 20
#: A table of a million routes is larger and takes longer to send than the defaults allow.
LARGE = {"FINGERPOST_LIMITS_TABLE_BYTES": str(256 * MEGABYTE), "FINGERPOST_LIMITS_TABLE_SECONDS": "3600"}


def start(bench):
    """From the process's start to /readyz, with 10,000 routes and a log on disk, stopped in good order before."""
    events = 10_000_000 if bench.full else bench.events
    if events < 10_000_000:
        bench.say(f"SMALLER: the log has {events:,} events, not the 10 million of the bound; --events 10000000 or --full")
    data = bench.scratch.path("started")
    service = Service(bench.scratch, bench.service_binary, data, "--demo")
    service.ask_admin("PUT", "tenants/bench/settings", settings("bench"))
    service.ask_admin("PUT", "tenants/bench/draft", table(10_000))
    service.ask_admin("POST", "tenants/bench/draft/publish", b"")
    service.stop()
    shutil.rmtree(os.path.join(data, "events"))
    bench.say(f"writing {events:,} events")
    bench.scratch.run(bench.log_binary, "fill", os.path.join(data, "events"), "--events", str(events), "--days", "30")
    empty = bench.scratch.path("empty")
    full, none = [], []
    for _ in range(5):
        for folder, times in ((data, full), (empty, none)):
            service = Service(bench.scratch, bench.service_binary, folder)
            times.append(service.start_seconds)
            service.stop()
    yield Figure(
        f"start, 10,000 routes and {events:,} events", statistics.median(full), "seconds", "an empty directory",
        statistics.median(none), bound=value_at_most(1),
    )


def memory(bench):
    routes = 1_000_000 if bench.full else bench.routes
    process, _ = start_yardstick(bench.scratch, bench.yardsticks_binary, "echo")
    data = bench.scratch.path("remembered")
    service = Service(bench.scratch, bench.service_binary, data, "--demo", **LARGE)
    idle = service.resident_bytes() / MEGABYTE
    yield Figure("resident, idle", idle, "MB", "the idle echo", resident_bytes(process.pid) / MEGABYTE, bound=value_at_most(60))
    bench.scratch.end(process)
    bench.say(f"publishing {routes:,} routes")
    service.ask_admin("PUT", "tenants/bench/settings", settings("bench"))
    service.ask_admin("PUT", "tenants/bench/draft", table(routes))
    service.ask_admin("POST", "tenants/bench/draft/publish", b"")
    service.stop()
    service = Service(bench.scratch, bench.service_binary, data, **LARGE)
    if routes < 1_000_000:
        bench.say(f"SMALLER: {routes:,} routes, not the million of the bound; --routes 1000000 or --full")
    yield Figure(
        f"resident, started with {routes:,} routes", service.resident_bytes() / MEGABYTE, "MB", "idle", idle,
        bound=value_at_most(700), note=f"ready in {service.start_seconds:.2f} s",
    )
    service.stop()
