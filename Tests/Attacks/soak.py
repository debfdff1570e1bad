"""Soak test: uses all functions of the service at a low rate, to detect growth.

    soak.py BINARY [--minutes 30] [--rate 200] [--csv FILE]

Sends resolutions, batches, clicks, requests for association files and bad input at a constant rate. Meanwhile it
publishes tables, makes exports, queries analytics, and pages through and tails the log. Every ten seconds it prints a
line: resident size, descriptors, threads, size of the WAL files, and request latencies. At the end it prints a table of
five-minute rows and whether each value is flat; the exit status is 1 if one is not. The default rate takes about a
fifth of a core in total.
"""

import argparse
import asyncio
import csv
import json
import os
import signal
import statistics
import sys
import time

from connections import Connections
from service import CLICKS, WEBSITE, Service
from wire import get, post

SHOP = "/admin/v1/tenants/shop"
MIB = 1 << 20

#: The limits of "flat". The first five minutes fill caches and are excluded. The slope is a least-squares fit of the
#: rest.
WARM_SECONDS = 300
RESIDENT_SLOPE = 24 * MIB  # per hour
RESIDENT_GROWTH = 12 * MIB  # from the first five minutes that count to the last
DESCRIPTOR_GROWTH = 10  # between the maximum of the first half and that of the second half
WAL_BYTES = 72 * MIB  # at any time: SQLite truncates its WAL to 64 MiB, and a transaction may exceed that
WAL_GROWTH = 8 * MIB  # between the maximum of the first half and that of the second half
THREAD_GROWTH = 4


class Soak:
    def __init__(self, service, rate):
        self._service = service
        self._rate = rate
        self._public = Connections(service.ports["public"])
        self._admin = Connections(service.ports["admin"])
        self._latencies, self._requests, self._tag, self._due = [], 0, "", set()
        self.failures = []
        self.rows = []

    async def run(self, seconds, out):
        ended = asyncio.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            asyncio.get_running_loop().add_signal_handler(number, ended.set)
        jobs = [
            asyncio.create_task(job)
            for job in (
                self._ask_steadily(), self._every(20, self._publish), self._every(60, self._export), self._every(7, self._statistics),
                self._every(11, self._page), self._every(30, self._tail), self._every(15, self._scrape), self._sample(out),
            )
        ]
        watching = asyncio.create_task(ended.wait())
        await asyncio.wait([*jobs, watching], timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        broken = [job.exception() for job in jobs if job.done()]
        for job in [*jobs, watching]:
            job.cancel()
        await asyncio.gather(*jobs, watching, *self._due, return_exceptions=True)
        if broken:
            raise broken[0]
        self._public.close()
        self._admin.close()

    # --- public ------------------------------------------------------------------------------------------------------

    def _request(self, number):
        """Returns a request of the mix and the allowed statuses."""
        place = number % 30
        if place in (3, 9, 15, 21, 27):
            return get(f"/legal/page-{number % 500}?utm_source=soak", CLICKS), {302}
        if place in (6, 18):
            tag = [f"If-None-Match: {self._tag}"] if self._tag and place == 6 else ["Accept-Encoding: gzip"]
            return get("/.well-known/apple-app-site-association", WEBSITE, *tag), {200, 304}
        if place == 12:
            links = json.dumps([f"https://{WEBSITE}/product/{number + at}" for at in range(10)])
            return post("/resolve", f'{{"links":{links}}}', WEBSITE), {200}
        if place == 24:
            return self._bad(number // 30)
        if place == 0:
            return post("/resolve", '{"url":"https://nobody.example/%d"}' % number, WEBSITE), {200}
        path = ("product/%d", "user/u%d", "nothing/here/%d", "reset/secret-%d")[number % 4] % number
        context = '{"app":"ios","platform":"ios","osVersion":"17.4","installed":%s}' % ("true", "false")[number % 2]
        return post("/resolve", f'{{"url":"https://{WEBSITE}/{path}","context":{context}}}', WEBSITE), {200}

    @staticmethod
    def _bad(number):
        return (
            (post("/resolve", '{"url":', WEBSITE), {400}),
            (post("/resolve", '{"url":"%s"}' % ("a" * 20_000), WEBSITE), {413}),
            (post("/resolve", '{"url":"javascript:alert(%d)"}' % number, WEBSITE), {200}),
            (get("/legal/%2e%2e/%00", CLICKS), {400}),
            (post("/resolve", "[" * 9_000, WEBSITE), {400}),
            (get(f"/made-up/{number}", f"host-{number}.example"), {404}),
            (b"GET /%d HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: x\r\n\r\n" % number, {400}),
            (post(f"/nothing/{number}", "{}", WEBSITE), {404, 405}),
        )[number % 8]

    async def _ask_steadily(self):
        start, number = time.monotonic(), 0
        while True:
            due = start + number / self._rate
            await asyncio.sleep(max(0, due - time.monotonic()))
            task = asyncio.create_task(self._ask(number, due))
            self._due.add(task)
            task.add_done_callback(self._due.discard)
            number += 1

    async def _ask(self, number, due):
        data, expected = self._request(number)
        try:
            status, head, _ = await asyncio.wait_for(self._public.ask(data, fresh=number % 5 == 0), 30)
        except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError, ValueError, IndexError) as error:
            status, head = repr(error), b""
        self._latencies.append(time.monotonic() - due)
        self._requests += 1
        if b"\r\netag: " in head:
            self._tag = head.split(b"\r\netag: ")[1].split(b"\r\n")[0].decode()
        if status not in expected:
            self._fail(f"{data[:60]!r}: {status}")

    # --- admin and ops -----------------------------------------------------------------------------------------------

    async def _every(self, seconds, job):
        number = 0
        while True:
            number += 1
            await asyncio.sleep(seconds)
            try:
                await asyncio.wait_for(job(number), 60)
            except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError, ValueError, IndexError) as error:
                self._fail(f"{job.__name__}: {error!r}")

    async def _manage(self, method, path, body="", expected=(200, 201)):
        data = post(path, body, "localhost", f"Authorization: Bearer {self._service.key}").replace(b"POST", method.encode(), 1)
        status, _, answer = await self._admin.ask(data)
        if status not in expected:
            self._fail(f"{method} {path}: {status} {answer[:200]!r}")
        return answer

    async def _publish(self, number):
        route = {"id": f"soak-{number % 50}", "owner": "soak", "path": f"/soak/{number % 50}/{{id:int}}", "open": {"screen": f"Soak{number}"}}
        await self._manage("PUT", f"{SHOP}/draft/routes/{route['id']}", json.dumps(route))
        await self._manage("POST", f"{SHOP}/draft/publish", json.dumps({"message": f"soak {number}"}))

    async def _export(self, number):
        await self._manage("POST", f"{SHOP}/exports" + ("?download" if number % 2 else ""), expected=(200, 201, 204))

    async def _statistics(self, number):
        path = ("totals?by=route,outcome", "series?interval=hour", "top/referrerHost", "unmatched", "rejected", "revisions")[number % 6]
        await self._manage("GET", f"{SHOP}/stats/{path}")

    async def _page(self, number):
        await self._manage("GET", (f"{SHOP}/events?limit=200", f"{SHOP}/revisions", "/admin/v1/audit?limit=50")[number % 3])

    async def _tail(self, number):
        reader, writer = await asyncio.open_connection("127.0.0.1", self._service.ports["admin"])
        try:
            writer.write(get(f"{SHOP}/events/tail", "localhost", f"Authorization: Bearer {self._service.key}"))
            until, seen = time.monotonic() + 15, b""
            while (left := until - time.monotonic()) > 0:
                try:
                    part = await asyncio.wait_for(reader.read(65536), left)
                except asyncio.TimeoutError:
                    break
                if not part:
                    break
                seen = (seen + part)[-4096:]
            if b"data:" not in seen:
                self._fail(f"a tail returned no event: {seen[:100]!r}")
        finally:
            writer.close()

    async def _scrape(self, number):
        for path in ("/metrics", "/readyz"):
            await asyncio.to_thread(self._service.ask, "ops", path)

    def _fail(self, what):
        self.failures.append(what)
        print(f"{time.strftime('%H:%M:%S')} FAILED {what}", file=sys.stderr, flush=True)

    # --- figures -----------------------------------------------------------------------------------------------------

    async def _sample(self, out):
        table = csv.writer(out)
        table.writerow(["second", "rss_bytes", "descriptors", "threads", "wal_bytes", "cpu_seconds", "requests", "p50_ms", "p99_ms", "failures"])
        start = time.monotonic()
        while True:
            await asyncio.sleep(10)
            if not self._service.is_alive:
                raise SystemExit(f"the service ended: {self._service.log[-500:]}")
            latencies, self._latencies = sorted(self._latencies), []
            requests, self._requests = self._requests, 0
            share = lambda part: latencies[int(len(latencies) * part)] * 1000 if latencies else 0
            row = [
                time.monotonic() - start, self._service.resident_bytes(), self._service.descriptors(), self._service.threads(),
                self._service.wal_bytes(), self._service.cpu_seconds(), requests, share(0.5), share(0.99), len(self.failures),
            ]
            self.rows.append(row)
            table.writerow([f"{value:.1f}" if isinstance(value, float) else value for value in row])
            out.flush()


def verdict(rows, log):
    """Prints the table and the trend of each value. Returns the faults."""
    print("| minutes | RSS | descriptors | threads | WAL | requests | p50 | p99 |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for first in range(0, int(rows[-1][0]) + 1, 300):
        part = [row for row in rows if first <= row[0] < first + 300]
        if not part:
            continue
        column = lambda at: [row[at] for row in part]
        print(f"| {first // 60}–{first // 60 + 5} | {statistics.median(column(1)) / MIB:.1f} MiB | {max(column(2))} | {max(column(3))} "
              f"| {max(column(4)) / MIB:.1f} MiB | {sum(column(6))} | {statistics.median(column(7)):.1f} ms | {max(column(8)):.0f} ms |")
    warm = WARM_SECONDS if rows[-1][0] > 2 * WARM_SECONDS else rows[-1][0] / 4
    counted = [row for row in rows if row[0] >= warm]
    if len(counted) < 6:
        return ["there are too few samples for a verdict: run the test for longer"]
    times, sizes = [row[0] for row in counted], [row[1] for row in counted]
    slope = statistics.linear_regression(times, sizes).slope * 3600
    share = max(1, len(counted) // 5)
    growth = statistics.median(sizes[-share:]) - statistics.median(sizes[:share])
    halves = counted[: len(counted) // 2], counted[len(counted) // 2 :]
    rise = lambda at: max(row[at] for row in halves[1]) - max(row[at] for row in halves[0])
    judged = [
        ("RSS, slope an hour", slope / MIB, RESIDENT_SLOPE / MIB, "MiB"), ("RSS, growth", growth / MIB, RESIDENT_GROWTH / MIB, "MiB"),
        ("descriptors, growth", rise(2), DESCRIPTOR_GROWTH, ""), ("threads, growth", rise(3), THREAD_GROWTH, ""),
        ("WAL, growth", rise(4) / MIB, WAL_GROWTH / MIB, "MiB"), ("WAL, most", max(row[4] for row in rows) / MIB, WAL_BYTES / MIB, "MiB"),
    ]
    print(f"\n| after {warm / 60:.0f} minutes | measured | at most | |\n| --- | ---: | ---: | --- |")
    for name, value, bound, unit in judged:
        print(f"| {name} | {value:.1f} {unit} | {bound:.1f} {unit} | {'flat' if value <= bound else 'NOT FLAT'} |")
    faults = [f"{name}: {value:.1f} {unit}, more than {bound:.1f}" for name, value, bound, unit in judged if value > bound]
    if "request failed" in log or "Fatal" in log:
        faults.append(f"the service logged faults: {log[-1000:]}")
    return faults


def main():
    parser = argparse.ArgumentParser(description="Uses all functions of a service for half an hour.")
    parser.add_argument("binary", help="a release build of fingerpost")
    parser.add_argument("--minutes", type=float, default=30)
    parser.add_argument("--rate", type=float, default=200, help="requests a second to the public port (200)")
    parser.add_argument("--csv", default="soak.csv", help="file for the samples (soak.csv)")
    wanted = parser.parse_args()
    service = Service(os.path.abspath(wanted.binary))
    soak = Soak(service, wanted.rate)
    print(f"{wanted.binary}: process {service.pid}, samples in {wanted.csv}", file=sys.stderr)
    try:
        with open(wanted.csv, "w", newline="") as out:
            asyncio.run(soak.run(wanted.minutes * 60, out))
    finally:
        log, taken = service.log, service.cpu_seconds() if service.is_alive else 0
        status = service.stop()
    if not soak.rows:
        raise SystemExit("the test ended before the first sample.")
    faults = verdict(soak.rows, log)
    if status != 0:
        faults.append(f"SIGTERM ended the service with {status}, not 0")
    if soak.failures:
        faults.append(f"{len(soak.failures)} requests got an unexpected answer: {'; '.join(soak.failures[:5])}")
    own = time.process_time()
    seconds = soak.rows[-1][0]
    print(f"\n{sum(row[6] for row in soak.rows)} requests in {seconds / 60:.0f} minutes; the service took {100 * taken / seconds:.0f} % of a core, "
          f"this script {100 * own / seconds:.0f} %; SIGTERM: exit {status}")
    for fault in faults:
        print(f"FAULT {fault}")
    print("flat" if not faults else "NOT FLAT")
    raise SystemExit(1 if faults else 0)


if __name__ == "__main__":
    main()
