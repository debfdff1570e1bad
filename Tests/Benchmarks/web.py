"""Measures over HTTP with wrk: the service and the yardsticks one after the other in each round, so that drift affects
all equally."""

import json
import os
import statistics
import urllib.error
import urllib.request
from dataclasses import dataclass, field

import machine
from figures import Figure, at_least, at_most
from servers import Service, start_nginx, start_yardstick

CONNECTIONS = (1, 32, 128)
CLICKS = "go.yourappdomain.com"
ASSOCIATION = "farechoice.taxi"
INSTAGRAM = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 382.0"


@dataclass
class Target:
    """What wrk requests: bodies for POST /resolve, or one path with GET."""

    name: str
    address: str
    path: str = None
    host: str = None
    status: int = 200
    agent: str = None
    #: By number of connections, one value per round.
    rates: dict = field(default_factory=dict)
    p50: dict = field(default_factory=dict)
    p99: dict = field(default_factory=dict)


def figures(bench):
    scratch = bench.scratch
    service = Service(scratch, bench.service_binary, scratch.path("data"), "--demo")
    _, echo = start_yardstick(scratch, bench.yardsticks_binary, "echo")
    _, hello = start_yardstick(scratch, bench.yardsticks_binary, "hello")
    _, row = start_yardstick(scratch, bench.yardsticks_binary, "durable", scratch.path("rows.db"))
    nginx = start_nginx(scratch)
    asked = {
        "resolve": Target("POST /resolve, durable", service.public),
        **_unrecorded(bench),
        "echo": Target("echo", echo),
        "hello": Target("hello", hello),
        "row": Target("hello and a row on disk", row),
        "nginx": Target("nginx", nginx),
        "click": Target("link click (302)", service.public, "/product/123", CLICKS, 302),
        "landing": Target("landing page", service.public, "/product/123", CLICKS, agent=INSTAGRAM),
        "association": Target("AASA", service.public, "/.well-known/apple-app-site-association", ASSOCIATION),
        "hello, GET": Target("hello, GET", hello, "/"),
        "row, GET": Target("hello and a row on disk, GET", row, "/"),
        "nginx, GET": Target("nginx, GET", nginx, "/"),
    }
    for target in asked.values():
        _check(bench, target)
        if not bench.smoke:
            _measure(bench, target, 32, min(1, bench.seconds))
    syncs = [machine.median_sync(scratch.folder)]
    for number in range(bench.rounds):
        bench.say(f"HTTP, round {number + 1} of {bench.rounds}")
        for connections in CONNECTIONS:
            for target in asked.values():
                result = _measure(bench, target, connections, bench.seconds)
                for kept, key in ((target.rates, "rate"), (target.p50, "p50"), (target.p99, "p99")):
                    kept.setdefault(connections, []).append(result[key])
    syncs.append(machine.median_sync(scratch.folder))
    yield from _rates(asked)
    yield from _landing(asked["landing"], asked["click"])
    yield from _half(bench, asked, statistics.median(syncs))


def _unrecorded(bench):
    """The service with recording off, if this build has that setting."""
    if "recording:" not in bench.scratch.run(bench.service_binary, "config"):
        return {}
    service = Service(bench.scratch, bench.service_binary, bench.scratch.path("unrecorded"), "--demo", FINGERPOST_RECORDING="disabled")
    return {"unrecorded": Target("recording off", service.public)}


def _rates(asked):
    bounds = {
        (128, "resolve", "echo"): at_least(1.5), (128, "resolve", "hello"): at_least(0.5), (32, "resolve", "echo"): at_least(1.1),
        **{(connections, name, "hello, GET"): at_least(0.8) for connections in (32, 128) for name in ("click", "association")},
    }
    yardsticks = {
        "resolve": ("echo", "hello", "row", "nginx", *(name for name in asked if name == "unrecorded")),
        "click": ("hello, GET", "row, GET", "nginx, GET"),
        "association": ("hello, GET", "nginx, GET"),
    }
    for name, others in yardsticks.items():
        target = asked[name]
        for connections in CONNECTIONS:
            for other in others:
                yardstick = asked[other]
                pairs = zip(target.rates[connections], yardstick.rates[connections])
                yield Figure(
                    f"{target.name}, {connections} connection{'s' if connections > 1 else ''}, beside {yardstick.name}",
                    statistics.median(target.rates[connections]), "a second",
                    yardstick.name, statistics.median(yardstick.rates[connections]),
                    # Compares values of the same round, measured within seconds of each other.
                    ratio=statistics.median(rate / beside for rate, beside in pairs if beside),
                    better=None if other == "unrecorded" else "higher", bound=bounds.get((connections, name, other)),
                    note=f"p50 {_shown(target.p50[connections])}, p99 {_shown(target.p99[connections])}",
                )


def _landing(landing, click):
    """A page beside the redirect of the same link."""
    for connections in CONNECTIONS:
        for what, unit, key, better, bound in (
            ("", "a second", "rates", "higher", at_least(0.8)), (", p99", "µs", "p99", None, at_most(1.3)),
        ):
            values, beside = getattr(landing, key)[connections], getattr(click, key)[connections]
            yield Figure(
                f"{landing.name}, {connections} connection{'s' if connections > 1 else ''}{what}", statistics.median(values), unit,
                click.name, statistics.median(beside), ratio=statistics.median(value / other for value, other in zip(values, beside)),
                better=better, bound=bound,
            )


def _half(bench, asked, sync):
    """The p99 at half of the saturation rate, with a client whose rate does not depend on the answers."""
    p99 = {"resolve": [], "echo": []}
    for number in range(bench.rounds):
        bench.say(f"half of saturation, round {number + 1} of {bench.rounds}")
        for name, kept in p99.items():
            rate = int(statistics.median(asked[name].rates[128]) / 2)
            printed = bench.scratch.run(
                bench.yardsticks_binary, "load", asked[name].address, "--bodies", bench.bodies(),
                "--rate", str(max(1, rate)), "--connections", "128", "--seconds", str(bench.seconds),
            )
            result = json.loads(printed)
            # The rates of --smoke are measured for a second with a debug build, so they are no saturation.
            if result["refused"] and not bench.smoke:
                raise SystemExit(f"bench: {name} at {rate} requests a second refused {result['refused']}.")
            kept.append(result["p99"])
    resolve, echo = (statistics.median(p99[name]) for name in ("resolve", "echo"))
    yield Figure(
        "POST /resolve at half of saturation, p99", resolve, "µs", "3 × the echo's + 2 × fdatasync", 3 * echo + 2e6 * sync,
        bound=at_most(1), note=f"{statistics.median(asked['resolve'].rates[128]) / 2:,.0f}/s",
    )
    yield Figure("echo at half of saturation, p99", echo, "µs", "POST /resolve", resolve, better=None)
    yield Figure("median fdatasync of 4 KiB", sync, "seconds", "the echo's p99", echo / 1e6, better=None)


def _measure(bench, target, connections, seconds):
    # More than two threads would take CPU time from the servers.
    script = "resolve.lua" if target.path is None else "measure.lua"
    command = [
        "wrk", "--threads", str(min(2, connections)), "--connections", str(connections), "--duration", f"{max(1, round(seconds))}s",
        "--script", os.path.join(bench.here, script), *(["--header", f"Host: {target.host}"] if target.host else []),
        *(["--header", f"User-Agent: {target.agent}"] if target.agent else []), f"http://{target.address}{target.path or '/'}",
    ]
    result = json.loads(bench.scratch.run(*command, BODIES=bench.bodies()).splitlines()[-1])
    if result["failed"]:
        raise SystemExit(f"bench: {result['failed']} requests to {target.name} failed.")
    return result


def _check(bench, target):
    """Checks the answer, because a server with another answer would distort the comparison."""
    with open(bench.bodies(), "rb") as file:
        body = file.readline().strip() if target.path is None else None
    headers = {"Content-Type": "application/json"} | ({"Host": target.host} if target.host else {})
    headers |= {"User-Agent": target.agent} if target.agent else {}
    request = urllib.request.Request(f"http://{target.address}{target.path or '/resolve'}", data=body, headers=headers)
    try:
        with urllib.request.build_opener(_NoRedirects).open(request, timeout=10) as answer:
            status = answer.status
    except urllib.error.HTTPError as error:
        status = error.code
    if status != target.status:
        raise SystemExit(f"bench: {target.name} answered {status} instead of {target.status}.")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def _shown(microseconds):
    value = statistics.median(microseconds)
    return f"{value:.0f} µs" if value < 1_000 else f"{value / 1_000:.1f} ms"
