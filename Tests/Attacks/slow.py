"""Slow clients: headers, bodies and reads that never end."""

import csv
import glob
import os
import subprocess
import time
from collections import Counter

from crowd import Crowd
from result import Result
from service import CLICKS, WEBSITE

#: limits.headSeconds and limits.bodySeconds, plus a margin for a busy machine.
HEADER_SECONDS = 5 + 3
BODY_SECONDS = 10 + 3


def slow_headers(target):
    return _slowhttptest(target, "-H", "/legal/slow", lasts=HEADER_SECONDS)


def slow_bodies(target):
    return _slowhttptest(target, "-B", "/resolve", lasts=BODY_SECONDS)


def slow_reads(target):
    # Answers of about 50 KB fit into the kernel's buffers, so the service has finished them. The connection is then
    # idle and is closed after limits.idleSeconds, or earlier if another connection needs its place.
    return _slowhttptest(
        target, "-X", "/openapi.json", "-k", "10", "-w", "1", "-y", "32", "-z", "5", "-n", "3", lasts=None
    )


def _slowhttptest(target, mode, path, *options, lasts):
    """`lasts`: the seconds after which the last connection must be closed; None if connections may stay open."""
    count = 200 if target.is_short else 2000
    rate = count // 2
    seconds = max(target.seconds, (lasts or 0) + 3)
    prefix = os.path.join(target.service.scratch, f"slowhttptest{mode}")
    command = [
        "slowhttptest", mode, "-c", str(count), "-r", str(rate), "-i", "1", "-l", str(seconds), "-p", "5", "-v", "1",
        "-g", "-o", prefix, "-s", "10000", "-u", f"http://127.0.0.1:{target.service.ports['public']}{path}", *options,
    ]
    said = subprocess.run(["nice", *command], capture_output=True, timeout=seconds + 60).stdout
    # CSV columns: Seconds,Closed,Pending,Connected,Service Available
    with open(glob.glob(prefix + "*.csv")[0]) as table:
        rows = [row for row in csv.reader(table) if row and row[0].strip().isdigit()]
    if not rows:
        return Result(f"{count} connections", "slowhttptest wrote no figures", ["slowhttptest wrote no figures"])
    second, closed, pending, connected = (int(field) for field in rows[-1][:4])
    # slowhttptest ends once all connections are closed, without a row for that second.
    if b"No open connections left" in said:
        closed, pending, connected = count, 0, 0
    faults = []
    if lasts and connected:
        faults.append(f"{connected} of {count} slow connections were still open after {second} s")
    unavailable = sum(1 for row in rows if row[4].strip() == "0")
    if unavailable:
        faults.append(f"slowhttptest found the service unavailable in {unavailable} of {len(rows)} seconds")
    return Result(
        f"slowhttptest {mode}: {count} connections, {rate} a second",
        f"after {second} s: {closed} closed, {connected} open, {pending} pending", faults,
    )


def bytewise(target):
    """Sends one byte a second in every part of a request in which a server waits for more."""
    body = '{"url":"https://%s/product/1"}' % WEBSITE
    begun = f"POST /resolve HTTP/1.1\r\nHost: {WEBSITE}\r\nContent-Type: application/json\r\n"
    places = {
        "request line": ("GET /", "a", HEADER_SECONDS),
        "header": (f"GET / HTTP/1.1\r\nHost: {CLICKS}\r\nX-Slow: ", "a", HEADER_SECONDS),
        "end of headers": (f"GET / HTTP/1.1\r\nHost: {CLICKS}", "\r", HEADER_SECONDS),
        "body": (f"{begun}Content-Length: 16000\r\n\r\n{body}", " ", BODY_SECONDS),
        "chunk": (f"{begun}Transfer-Encoding: chunked\r\n\r\n3e80\r\n", " ", BODY_SECONDS),
        "chunk extension": (f"{begun}Transfer-Encoding: chunked\r\n\r\n3e80;a", "a", BODY_SECONDS),
        "trailer": (f"{begun}Transfer-Encoding: chunked\r\n\r\n0\r\nX-Slow: ", "a", BODY_SECONDS),
        # The service reads the body although the answer does not need it.
        "body of a click": (f"GET / HTTP/1.1\r\nHost: {CLICKS}\r\nContent-Length: 16000\r\n\r\n", " ", BODY_SECONDS),
    }
    each = 3 if target.is_short else 20
    crowd = Crowd(target.service.public)
    for place, (start, byte, _) in places.items():
        crowd.open(each, start.encode(), tag=place)
    begin = time.monotonic()
    longest = max(bound for _, _, bound in places.values()) + 1
    while crowd.count and time.monotonic() - begin < longest:
        crowd.poll(1)
        for place, (_, byte, _) in places.items():
            crowd.send(byte.encode(), tag=place)
    answered, faults = [], []
    for place, (_, _, bound) in places.items():
        ends = [end for end in crowd.ended if end.tag == place]
        statuses = Counter(end.status for end in ends)
        late = max((end.after for end in ends), default=0)
        answered.append(f"{place}: {'/'.join(str(status) for status in statuses) or 'open'} after {late:.0f} s")
        if len(ends) < each or late > bound:
            faults.append(f"{place}: {each - len(ends)} of {each} open after {longest} s, last closed after {late:.1f} s")
        elif set(statuses) - {302 if "click" in place else 400 if place == "end of headers" else 408}:
            faults.append(f"{place}: answered {dict(statuses)}")
    crowd.close()
    return Result(f"{each} connections in each of {len(places)} places", "; ".join(answered), faults)


ATTACKS = {
    "slow headers": slow_headers, "slow bodies": slow_bodies, "slow reads": slow_reads, "a byte a second": bytewise,
}
