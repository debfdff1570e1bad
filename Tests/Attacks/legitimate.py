"""Well-behaved clients, beside whatever else goes on: a process of its own that asks at a constant rate.

    legitimate.py PORT --rate 100 --out FILE

Requests start when they are due, not when the one before has been answered; latency counts from when a request was due, so a
server that makes others wait does not hide it. Writes `due kind latency status` a line, in seconds of the monotonic clock;
status 0 is a request that was not answered in ten seconds, or whose connection broke. SIGTERM ends it.
"""

import argparse
import asyncio
import signal
import time

from connections import Connections
from service import CLICKS, WEBSITE
from wire import get, post

#: Out of ten requests: resolutions on kept connections, on new ones (which an attack on connections meets first), clicks and
#: association files.
KINDS = ["resolve", "resolve", "click", "resolve", "fresh", "resolve", "association", "resolve", "click", "fresh"]
TIMEOUT = 10


def request(number):
    """Its kind, its bytes and the status that answers it."""
    kind = KINDS[number % len(KINDS)]
    if kind == "click":
        return kind, get(f"/legal/steady-{number}", CLICKS), 302
    if kind == "association":
        return kind, get("/.well-known/apple-app-site-association", WEBSITE), 200
    return kind, post("/resolve", f'{{"url":"https://{WEBSITE}/product/{number}"}}', WEBSITE), 200


async def ask(connections, number, due, out):
    kind, data, expected = request(number)
    try:
        status, _, _ = await asyncio.wait_for(connections.ask(data, fresh=kind == "fresh"), TIMEOUT)
    except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError, ValueError, IndexError):
        status = 0
    took = time.monotonic() - due
    out.write(f"{due:.6f} {kind} {took if status == expected else max(TIMEOUT, took):.6f} {status}\n")


async def run(port, rate, out):
    ended = asyncio.Event()
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(signal_number, ended.set)
    connections, asking, number, start = Connections(port), set(), 0, time.monotonic()
    while not ended.is_set():
        due = start + number / rate
        await asyncio.sleep(max(0, due - time.monotonic()))
        task = asyncio.create_task(ask(connections, number, due, out))
        asking.add(task)
        task.add_done_callback(asking.discard)
        number += 1
    await asyncio.gather(*asking)
    connections.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    parser.add_argument("--rate", type=float, default=100)
    parser.add_argument("--out", default="/dev/stdout")
    wanted = parser.parse_args()
    with open(wanted.out, "w", buffering=1) as results:
        asyncio.run(run(wanted.port, wanted.rate, results))
