"""Starts a service and attacks it while well-behaved clients send requests, and prints the results as a Markdown table.

    attacks.py BINARY [--only NAME …] [--seconds N] [--short]

Each exceeded limit is a line below the table. The exit status is then 1.
"""

import argparse
import os
import signal
import subprocess
import sys
import time

import callers
import documents
import editors
import floods
import growth
import http2
import keys
import packing
import paths
import sizes
import slow
import smuggling
import stub_pages
import users
from result import Result, Target
from service import Service, Watch, raise_descriptor_limit, take_idle_time

ATTACKS = {
    **sizes.ATTACKS, **packing.ATTACKS, **paths.ATTACKS, **smuggling.ATTACKS, **slow.ATTACKS, **floods.ATTACKS, **http2.ATTACKS,
    **documents.ATTACKS, **editors.ATTACKS, **keys.ATTACKS, **users.ATTACKS, **callers.ATTACKS, **growth.ATTACKS, **stub_pages.ATTACKS,
}
#: Skipped by --short, which takes one minute in total.
LONG = ("busy editor", "slow reads", "slow bodies", "held after nonsense", "smuggling, nginx", "smuggling, caddy", "smuggling, haproxy", "HTTP/2 floods")

#: These attacks use all CPU time that they get, on the same machine as the service. Latencies during them depend on the
#: number of cores, so they are not judged.
STORMS = (
    "unread answers", "pipelining", "largest documents", "busy editor", "stored growth", "leaving at once", "connect and close", "resets", "half closed",
    "other users",
)

RATE = 100
#: The p99 of well-behaved clients may reach FACTOR times its undisturbed value. It is judged only above FLOOR seconds
#: and with ENOUGH requests.
FACTOR, FLOOR, ENOUGH = 3, 0.02, 1_000
#: The resident size must never be larger. A minute after an attack, the service may have this many more descriptors
#: open than before.
RESIDENT_BYTES = 512 << 20
SPARE_DESCRIPTORS = 40
MIB = 1 << 20


class Steady:
    """The well-behaved clients and their results."""

    def __init__(self, service):
        here = os.path.dirname(os.path.abspath(__file__))
        self._file = os.path.join(service.scratch, "steady")
        self._process = subprocess.Popen(
            [sys.executable, os.path.join(here, "legitimate.py"), str(service.ports["public"]),
             "--rate", str(RATE), "--out", self._file]
        )

    def stop(self):
        self._process.send_signal(signal.SIGTERM)
        self._process.wait(30)

    def between(self, begin, end):
        """Latencies, ascending, and failures of the requests that were due between `begin` and `end`."""
        latencies, failures = [], []
        with open(self._file) as lines:
            for line in lines:
                if not line.endswith("\n"):
                    break
                due, kind, latency, status = line.split()
                if begin <= float(due) < end:
                    latencies.append(float(latency))
                    if float(latency) >= 10:
                        failures.append(f"{kind} {status}")
        return sorted(latencies), failures


def percentile(latencies, share):
    return latencies[min(len(latencies) - 1, int(len(latencies) * share))] if latencies else float("nan")


class Row:
    def __init__(self, name, result, begin, end, peak, growth, before, after, alive):
        self.name, self.result, self.begin, self.end = name, result, begin, end
        self.peak, self.growth, self.before, self.after, self.alive = peak, growth, before, after, alive


def settle(service, before, seconds):
    """Waits up to `seconds` until no more descriptors than before are open. Returns the number of open descriptors."""
    until = time.monotonic() + seconds
    while service.is_alive and service.descriptors() > before + SPARE_DESCRIPTORS and time.monotonic() < until:
        time.sleep(0.25)
    return service.descriptors() if service.is_alive else 0


def attack(name, function, target, watch):
    service = target.service
    before, resident = service.descriptors(), service.resident_bytes()
    watch.take_peak()
    begin = time.monotonic()
    result = function(target)
    # Repeats short attacks until enough well-behaved requests were made to judge their latencies.
    while not (result.skipped or target.is_short or result.faults) and time.monotonic() - begin < target.seconds and service.is_alive:
        again = function(target)
        result.faults += [fault for fault in again.faults if fault not in result.faults]
    end = time.monotonic()
    if not service.is_alive:
        result.faults.append(f"the service ended with {service.process.returncode}: {service.log[-500:]}")
        return Row(name, result, begin, end, 0, 0, before, 0, False)
    peak = watch.take_peak()
    return Row(name, result, begin, end, peak, peak - resident, before, settle(service, before, 15), True)


def undisturbed_latencies(steady, quiet):
    return sorted(latency for begin, end in quiet for latency in steady.between(begin, end)[0])


def is_slow(row, steady, usual):
    """Whether well-behaved clients were disturbed by an attack that must not disturb them."""
    latencies, _ = steady.between(row.begin, row.end)
    return (
        not row.result.skipped and row.name not in STORMS and len(latencies) >= ENOUGH
        and percentile(latencies, 0.99) > max(FACTOR * usual, FLOOR)
    )


def judge(rows, steady, quiet):
    """Adds the faults that are known only at the end. Returns the undisturbed latencies."""
    undisturbed = undisturbed_latencies(steady, quiet)
    usual = percentile(undisturbed, 0.99)
    for row in rows:
        row.latencies, failures = steady.between(row.begin, row.end)
        slow_ = percentile(row.latencies, 0.99)
        if row.result.skipped:
            continue
        if is_slow(row, steady, usual):
            row.result.faults.append(f"p99 {slow_ * 1000:.1f} ms, but {usual * 1000:.1f} ms without attacks")
        if failures:
            row.result.faults.append(f"{len(failures)} of {len(row.latencies)} well-behaved requests failed: {', '.join(failures[:5])}")
        if row.peak > RESIDENT_BYTES:
            row.result.faults.append(f"{row.peak / MIB:.0f} MiB resident; the limit is {RESIDENT_BYTES / MIB:.0f}")
        if row.alive and row.after > row.before + SPARE_DESCRIPTORS:
            row.result.faults.append(f"{row.after} descriptors open after the attack, {row.before} before it")
    return undisturbed


def show(rows, undisturbed):
    usual = percentile(undisturbed, 0.99)
    print(f"\nWell-behaved clients: {RATE} requests a second; undisturbed p50 {percentile(undisturbed, 0.5) * 1000:.1f} ms, "
          f"p99 {usual * 1000:.1f} ms over {len(undisturbed)} requests.\n")
    print("| attack | sent | answered | p99 of others | RSS at most (growth) | descriptors before → after | verdict |")
    print("| --- | --- | --- | ---: | ---: | ---: | --- |")
    for row in rows:
        if row.result.skipped:
            print(f"| {row.name} | {row.result.sent} | SKIPPED: {row.result.skipped} | | | | SKIPPED |")
            continue
        slow_ = percentile(row.latencies, 0.99)
        print(f"| {row.name} | {row.result.sent} | {row.result.answered} | {slow_ * 1000:.1f} ms ({slow_ / usual:.1f}×, {len(row.latencies)}) "
              f"| {row.peak / MIB:.0f} MiB (+{row.growth / MIB:.0f}) | {row.before} → {row.after} | {'FAILED' if row.result.faults else 'held'} |")
    for row in rows:
        for fault in row.result.faults[:40]:
            print(f"FAULT {row.name}: {fault}")
        if len(row.result.faults) > 40:
            print(f"FAULT {row.name}: and {len(row.result.faults) - 40} more")


def main():
    parser = argparse.ArgumentParser(prog="run.sh", description="Starts a service and attacks it.")
    parser.add_argument("binary", help="a release build of fingerpost")
    parser.add_argument(
        "--only", action="append", metavar="NAME",
        help="an attack, or the beginning of the names of several; may be repeated",
    )
    parser.add_argument("--seconds", type=float, metavar="N", help="minimum duration of each attack (15)")
    parser.add_argument("--short", action="store_true", help="fewer connections, and no proxies")
    parser.add_argument("--list", action="store_true", help="print the names of all attacks and exit")
    wanted = parser.parse_args()
    chosen = [name for name in ATTACKS if not wanted.only or any(name.startswith(part) for part in wanted.only)]
    if wanted.short and not wanted.only:
        chosen = [name for name in chosen if name not in LONG]
    if wanted.list or not chosen:
        print("\n".join(ATTACKS))
        raise SystemExit(0 if chosen else f"no attack begins with {', '.join(wanted.only)}.")
    seconds = wanted.seconds or (2 if wanted.short else 15)

    descriptors = raise_descriptor_limit(65_536)
    service = Service(os.path.abspath(wanted.binary))
    print(f"{wanted.binary}: process {service.pid}, ports {service.ports}, {descriptors} descriptors a process", file=sys.stderr)
    steady, watch = Steady(service), Watch(service)
    take_idle_time()
    target, rows, quiet = Target(service, seconds, wanted.short), [], []
    try:
        time.sleep(2)
        quiet.append((time.monotonic(), time.monotonic() + seconds))
        time.sleep(seconds)
        for name in chosen:
            print(f"{time.strftime('%H:%M:%S')} {name}", file=sys.stderr, flush=True)
            row = attack(name, ATTACKS[name], target, watch)
            # Ten slow requests in a thousand may be a pause of the machine: an attack that is slow twice is a fault.
            if row.alive and is_slow(row, steady, percentile(undisturbed_latencies(steady, quiet), 0.99)):
                print(f"{time.strftime('%H:%M:%S')} {name}, again", file=sys.stderr, flush=True)
                first, row = row, attack(name, ATTACKS[name], target, watch)
                row.result.faults += [fault for fault in first.result.faults if fault not in row.result.faults]
            rows.append(row)
            if not service.is_alive:
                break
            time.sleep(0.5)
            pause = 0.2 if wanted.short else seconds / 3
            quiet.append((time.monotonic(), time.monotonic() + pause))
            time.sleep(pause)
    finally:
        steady.stop()
        watch.end()
        undisturbed = judge(rows, steady, quiet) if rows else []
        log = service.log
        status = service.stop()
    show(rows, undisturbed)
    ending = Result("", "")
    if "request failed" in log or "Fatal" in log:
        ending.faults.append(f"the service logged faults: {log[-1000:]}")
    if status != 0:
        ending.faults.append(f"SIGTERM ended the service with {status}, not 0")
    for fault in ending.faults:
        print(f"FAULT at the end: {fault}")
    faults = sum(len(row.result.faults) for row in rows) + len(ending.faults)
    skipped = sum(1 for row in rows if row.result.skipped)
    print(f"\n{len(rows) - skipped} attacks, {skipped} skipped, {faults} faults; SIGTERM: exit {status}")
    raise SystemExit(1 if faults else 0)


if __name__ == "__main__":
    main()
