"""Latency and processor time of POST /resolve at ordinary load. A client sends at a constant rate to the service and to
the yardsticks in turn, so that drift affects all equally."""

import json
import os
import statistics
from dataclasses import dataclass, field

from figures import Figure, at_most
from servers import Service, start_yardstick

RATES = (200, 600, 2_000)
CONNECTIONS = 16
PERCENTILES = ("p50", "p99")
#: The limits, as ratios to the row's figures.
LATENCY, PROCESSOR = 1.3, 1.4


@dataclass
class Target:
    name: str
    address: str
    process: int
    #: By rate and name of the figure, one value per round, in microseconds.
    values: dict = field(default_factory=dict)


def figures(bench):
    scratch = bench.scratch
    service = Service(scratch, bench.service_binary, scratch.path("latency"), "--demo")
    row, row_address = start_yardstick(scratch, bench.yardsticks_binary, "durable", scratch.path("latency-rows.db"))
    echo, echo_address = start_yardstick(scratch, bench.yardsticks_binary, "echo")
    targets = [
        Target("POST /resolve", service.public, service.process.pid),
        Target("hello and a row on disk", row_address, row.pid),
        Target("echo", echo_address, echo.pid),
    ]
    rates = RATES[:1] if bench.smoke else RATES
    for number in range(bench.rounds):
        bench.say(f"latency, round {number + 1} of {bench.rounds}")
        for rate in rates:
            # Each round begins with another target: the first one finds the processor in another state.
            for place in range(len(targets)):
                _measure(bench, targets[(place + number) % len(targets)], rate)
    for server in (service.process, row, echo):
        scratch.end(server)
    for rate in rates:
        yield from _beside(rate, *targets)


def _beside(rate, resolve, row, echo):
    for name in (*PERCENTILES, "processor time a request"):
        for other in (row, echo):
            bound = at_most(LATENCY if name in PERCENTILES else PROCESSOR) if other is row else None
            pairs = zip(resolve.values[rate, name], other.values[rate, name])
            yield Figure(
                f"{resolve.name} at {rate:,}/s, {name}, beside {other.name}",
                statistics.median(resolve.values[rate, name]), "µs",
                other.name, statistics.median(other.values[rate, name]),
                # A p99 of a few seconds differs from run to run by more than a tenth.
                better=None if name == "p99" or other is not row else "lower",
                # Compares values of the same round, measured within seconds of each other.
                ratio=statistics.median(value / beside for value, beside in pairs if beside), bound=bound,
            )


def _measure(bench, target, rate):
    before = _processor_seconds(target.process)
    printed = bench.scratch.run(
        bench.yardsticks_binary, "load", target.address, "--bodies", bench.bodies(),
        "--rate", str(rate), "--connections", str(CONNECTIONS), "--seconds", str(bench.seconds),
    )
    used = _processor_seconds(target.process) - before
    result = json.loads(printed)
    if result["refused"]:
        raise SystemExit(f"bench: {target.name} at {rate} requests a second refused {result['refused']}.")
    for name in PERCENTILES:
        target.values.setdefault((rate, name), []).append(result[name])
    # The client sends a fifth more as a warm-up.
    requests = result["answered"] * 1.2
    target.values.setdefault((rate, "processor time a request"), []).append(used / requests * 1e6)


def _processor_seconds(pid):
    """The processor time that a process has used so far, in user and in system mode."""
    with open(f"/proc/{pid}/stat") as file:
        # The name in parentheses may contain blanks.
        columns = file.read().rpartition(")")[2].split()
    return (int(columns[11]) + int(columns[12])) / os.sysconf("SC_CLK_TCK")
