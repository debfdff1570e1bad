"""Well-behaved clients: a separate process that sends requests at a constant rate during the attacks.

    legitimate.py PORT --rate 100 --out FILE

Requests start when they are due, even if earlier ones are not answered yet. Latency counts from the due time, so
queueing in the server is visible. Writes one line per request, `due kind latency status`, in seconds of the monotonic
clock. Status 0 means that the connection broke or that there was no answer within ten seconds. SIGTERM ends the
process.
"""

import argparse
import asyncio
import signal
import time

from connections import Connections
from service import CLICKS, WEBSITE
from wire import get, post

#: Kinds of ten consecutive requests: resolutions on kept connections, resolutions on new connections (which suffer
#: first from an attack on connections), clicks and association files.
KINDS = ["resolve", "resolve", "click", "resolve", "fresh", "resolve", "association", "resolve", "click", "fresh"]
TIMEOUT = 10


def request(number):
    """Returns the kind, the bytes and the expected status."""
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
