"""Requests that exceed a size limit: bodies, headers, request lines, chunks."""

import os
import time

from result import Result
from service import CLICKS, WEBSITE
from wire import connect, get, post, read_all, tally

MIB = 1 << 20
#: The maximum that a client may send before its connection is closed, including the kernel's buffers.
MOST_TAKEN = 64 * MIB
_BODY = '{"url":"https://%s/product/1"}' % WEBSITE
_CHUNKED = "Transfer-Encoding: chunked"


class Stream:
    """A connection that sends `start`, then repeats `more` until `total` bytes are sent or the connection is closed."""

    def __init__(self, target, start, more, total=1_000_000_000, port="public"):
        address = getattr(target.service, port)
        self.sent, self.took = 0, 0.0
        begin, until = time.monotonic(), time.monotonic() + max(target.seconds, 20)
        with connect(address) as peer:
            peer.settimeout(5)
            try:
                peer.sendall(start)
                while self.sent < total and time.monotonic() < until:
                    self.sent += peer.send(more)
                self.was_cut = False
            except OSError:
                self.was_cut = True
            self.answers = read_all(peer, 3, 1)
            self.was_cut = self.was_cut or self.answers.ending != "open"
        self.took = time.monotonic() - begin


def _endless(target, cases):
    """`cases`: name → (start, more, allowed statuses, port)."""
    answered, faults = [], []
    for name, (start, more, expected, port) in cases.items():
        stream = Stream(target, start, more, port=port)
        answered.append(f"{name}: {stream.answers} after {stream.sent / MIB:.1f} MiB")
        if not stream.was_cut:
            faults.append(f"{name}: not closed after {stream.took:.0f} s")
        if stream.sent > MOST_TAKEN:
            faults.append(f"{name}: {stream.sent >> 20} MiB were accepted")
        # A reset may overtake the answer while the client still sends. No answer is acceptable, a wrong answer is a
        # fault.
        if stream.answers.statuses and stream.answers.statuses[0] not in expected:
            faults.append(f"{name}: answered {stream.answers}, not {' or '.join(map(str, expected))}")
    return Result(f"{len(cases)} requests of 1 GB, sent as fast as the service reads them", "; ".join(answered), faults)


def _start(line, *headers, host=WEBSITE):
    return "\r\n".join([line, f"Host: {host}", *headers, "", ""]).encode()


def large_bodies(target):
    zeros = bytes(256 * 1024)
    gigabyte = "Content-Length: 1000000000"
    key = f"Authorization: Bearer {target.service.key}"
    settings = "PUT /admin/v1/tenants/shop/draft HTTP/1.1"
    return _endless(target, {
        "resolve": (_start("POST /resolve HTTP/1.1", gigabyte), zeros, [413], "public"),
        "resolve, after Expect": (_start("POST /resolve HTTP/1.1", gigabyte, "Expect: 100-continue"), zeros, [413, 417], "public"),
        "resolve, more than announced": (post("/resolve", _BODY, WEBSITE), zeros, [200], "public"),
        "click": (_start("GET /legal/big HTTP/1.1", gigabyte, host=CLICKS), zeros, [302, 400, 413], "public"),
        "association file": (_start("GET /.well-known/assetlinks.json HTTP/1.1", gigabyte), zeros, [200, 400, 413], "public"),
        "no such path": (_start("POST /nothing/here HTTP/1.1", gigabyte), zeros, [404, 405, 413], "public"),
        "draft, with a key": (_start(settings, gigabyte, key), zeros, [413], "admin"),
        "draft, without a key": (_start(settings, gigabyte), zeros, [401, 413], "admin"),
    })


def endless_chunks(target):
    large = b"10000\r\n" + b" " * 65536 + b"\r\n"
    tiny = b"1\r\n \r\n" * 10_000
    named = b"1;" + b"a" * 4000 + b"\r\n \r\n"
    key = f"Authorization: Bearer {target.service.key}"
    resolve = _start("POST /resolve HTTP/1.1", _CHUNKED)
    return _endless(target, {
        "64 KiB each": (resolve, large, [413], "public"),
        "one byte each": (resolve, tiny, [413, 408], "public"),
        "long extensions": (resolve, named * 10, [413, 400], "public"),
        "one extension": (resolve + b"1;", b"a" * 65536, [413, 400, 431], "public"),
        "endless size": (resolve, b"0" * 65536, [413, 400], "public"),
        "endless trailer": (resolve + b"0\r\nX: ", b"a" * 65536, [413, 400, 431], "public"),
        "many trailers": (resolve + b"0\r\n", b"X: a\r\n" * 1000, [413, 400, 431], "public"),
        "click": (_start("GET /legal/big HTTP/1.1", _CHUNKED, host=CLICKS), large, [302, 400, 413], "public"),
        "draft, with a key": (_start("PUT /admin/v1/tenants/shop/draft HTTP/1.1", _CHUNKED, key), large, [413, 429], "admin"),
        "draft, without a key": (_start("PUT /admin/v1/tenants/shop/draft HTTP/1.1", _CHUNKED), large, [401, 413], "admin"),
    })


def endless_heads(target):
    line = f"GET /legal/head HTTP/1.1\r\nHost: {CLICKS}\r\n".encode()
    part = b"a" * 65536
    return _endless(target, {
        "method": (b"", part, [400, 405, 414, 431, 501], "public"),
        "request line": (b"GET /", part, [414], "public"),
        "query": (b"GET /?a=", part, [414], "public"),
        "header name": (line, part, [431], "public"),
        "header value": (line + b"X-Long: ", part, [431], "public"),
        "header of blanks": (line + b"X-Long:", b" " * 65536, [431, 400], "public"),
        "headers": (line, b"X-A: b\r\n" * 8192, [431], "public"),
        "empty lines first": (b"", b"\r\n" * 32768, [400, 408, 431], "public"),
    })


def large_heads(target):
    """Complete requests; each must get the status for the limit that it exceeds."""
    cookie = "Cookie: " + "a" * 65_536
    cases = {
        "a URI of 1 MB": (get("/" + "a" * 1_000_000, CLICKS), [414]),
        "a URI of 9 KB": (get("/" + "a" * 9_000, CLICKS), [414]),
        "a URI of 7 KB": (get("/legal/" + "a" * 7_000, CLICKS), [302]),
        "a header of 1 MB": (get("/legal/a", CLICKS, "X-Long: " + "a" * 1_000_000), [431]),
        "a header of 20 KB": (get("/legal/a", CLICKS, "X-Long: " + "a" * 20_000), [431]),
        "a header of 8 KB": (get("/legal/a", CLICKS, "X-Long: " + "a" * 8_000), [302]),
        "10,000 headers": (get("/legal/a", CLICKS, *(f"X-{n}: a" for n in range(10_000))), [431]),
        "10,000 times one header": (get("/legal/a", CLICKS, *["X-A: b"] * 10_000), [431]),
        "100 headers": (get("/legal/a", CLICKS, *(f"X-{n}: a" for n in range(100))), [431]),
        "50 headers": (get("/legal/a", CLICKS, *(f"X-{n}: a" for n in range(50))), [302]),
        "a cookie of 64 KB": (get("/legal/a", CLICKS, cookie), [431]),
        "a host of 20 KB": (get("/legal/a", "a" * 20_000), [431, 400]),
        "64 KB before a key": (get("/admin/v1/tenants", "localhost", cookie), [431], "admin"),
        "a JSON of 100,000 brackets": (post("/resolve", "[" * 100_000, WEBSITE), [413, 400]),
        "a JSON of 10,000 brackets": (post("/resolve", "[" * 10_000, WEBSITE), [400]),
        "a link of 9 KB": (post("/resolve", '{"url":"https://%s/%s"}' % (WEBSITE, "a" * 9000), WEBSITE), [200]),
        "Content-Length of 2^63": (_start("POST /resolve HTTP/1.1", "Content-Length: 9223372036854775808"), [400, 413]),
        "Content-Length of 2^64": (_start("POST /resolve HTTP/1.1", "Content-Length: 18446744073709551616"), [400, 413]),
        "Content-Length of 100 digits": (_start("POST /resolve HTTP/1.1", "Content-Length: " + "9" * 100), [400, 413]),
        "a chunk of 2^64 bytes": (_start("POST /resolve HTTP/1.1", _CHUNKED) + b"10000000000000000\r\n", [400, 413]),
        # The declared size of a chunk is no error by itself, so the service waits for this chunk.
        "a chunk of 2^63 bytes": (_start("POST /resolve HTTP/1.1", _CHUNKED) + b"7fffffffffffffff\r\n", [400, 408, 413]),
    }
    answers, faults = [], []
    for name, (request, expected, *port) in cases.items():
        with connect(getattr(target.service, port[0] if port else "public")) as peer:
            try:
                peer.sendall(request)
            except OSError:
                pass  # The service closed the connection; the answer says why.
            answer = read_all(peer, 14, 1)
        answers.append(answer)
        first = answer.statuses[0] if answer.statuses else None
        if first not in expected:
            faults.append(f"{name}: {answer}, not {' or '.join(map(str, expected))}")
        elif first in (413, 414, 431) and answer.ending == "open":
            faults.append(f"{name}: answered {first}, but the connection stayed open")
    return Result(f"{len(cases)} requests with sizes at and above the limits", tally(answers), faults)


def many_sizes(target):
    """Sends endless headers or bodies on many connections at once: memory must depend on the number of connections,
    not on the bytes."""
    count = 20 if target.is_short else 200
    piece, peers, refused = b"a" * 65536, [], 0
    for number in range(count):
        start = _start("POST /resolve HTTP/1.1", _CHUNKED) + b"10000000\r\n" if number % 2 else b"GET /?"
        try:
            peer = connect(target.service.public, timeout=0.5)
            peer.sendall(start)
            peers.append(peer)
        except OSError:
            refused += 1
    until, sent = time.monotonic() + min(target.seconds, 10), 0
    alive = list(peers)
    while alive and time.monotonic() < until:
        for peer in list(alive):
            try:
                peer.setblocking(False)
                sent += peer.send(piece)
            except BlockingIOError:
                pass
            except OSError:
                alive.remove(peer)
        os.sched_yield()
    for peer in peers:
        peer.close()
    faults = [f"{len(alive)} of {count} were not closed"] if alive else []
    answered = f"{count - len(alive)} closed after {sent / MIB:.0f} MiB in total"
    return Result(f"{count} such requests at once", answered, faults)


ATTACKS = {
    "1 GB bodies": large_bodies, "endless chunks": endless_chunks, "endless heads": endless_heads,
    "large heads": large_heads, "many large ones": many_sizes,
}
