"""Request smuggling: requests that parsers may delimit differently, sent directly and through nginx, Caddy and HAProxy.

Every variant has an outer request, which may be answered once or refused, and hidden bytes that look like another
request. Sent directly, an event for the hidden link is a fault. A proxy may be more lenient than the service and parse
the hidden bytes as a second request. It then answers the client twice and forwards two well-formed requests, so nothing
is smuggled. Behind a proxy it is a fault if more requests are recorded than the proxy answered, or if an answer belongs
to another request than the one it is sent for.
"""

import contextlib
import json
import shutil
import time
from collections import Counter, namedtuple

from proxies import PROXIES, Proxy
from result import Result
from service import CLICKS, WEBSITE
from wire import connect, exchange, get, post, read_all

#: `statuses`: allowed statuses of a direct answer. A refusal must close the connection.
Variant = namedtuple("Variant", "name request statuses")

REFUSED = (400,)
#: Refused, or read as one request with its whole body.
EITHER = (200, 302, 400)


def variants(mark):
    """`mark` makes the links of this run unique: the outer link is /legal/outer-MARK-N, the hidden one
    /legal/hidden-MARK-N."""
    made = []

    def add(name, build, statuses=REFUSED):
        number = len(made)
        hidden = f"GET /legal/hidden-{mark}-{number} HTTP/1.1\r\nHost: {CLICKS}\r\n\r\n"
        body = json.dumps({"url": f"https://{WEBSITE}/legal/outer-{mark}-{number}"})
        made.append(Variant(name, build(body, hidden).encode("latin-1"), statuses))

    def head(*headers, line="POST /resolve HTTP/1.1", host=(f"Host: {WEBSITE}",)):
        return "\r\n".join([line, *host, "Content-Type: application/json", *headers, "", ""])

    def chunk(text):
        return f"{len(text):x}\r\n{text}\r\n"

    # --- conflicting Content-Length and Transfer-Encoding ------------------------------------------------------------
    # One parser reads the hidden request as the rest of the body, another as the next request.
    def ended(encoding):
        # The chunks end before the hidden request; the length includes it.
        def build(body, hidden):
            chunks = chunk(body) + "0\r\n\r\n"
            return head(f"Content-Length: {len(chunks + hidden)}", encoding) + chunks + hidden

        return build

    add("CL and TE", ended("Transfer-Encoding: chunked"))
    add("TE before CL", lambda b, h: head(
        "Transfer-Encoding: chunked", f"Content-Length: {len(chunk(b) + '0' + h) + 4}") + chunk(b) + "0\r\n\r\n" + h)
    for encoding in (
        "Transfer-Encoding: xchunked", "Transfer-Encoding : chunked", "Transfer-Encoding: chunked, identity",
        "Transfer-Encoding: identity, chunked", "Transfer-Encoding: chunked, chunked", "Transfer-Encoding: identity",
        "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: CHUNKED", "Transfer-Encoding:chunked",
        "Transfer-Encoding:\tchunked", "Transfer-Encoding: chunked\t", "Transfer-Encoding:\x0bchunked",
        "Transfer-Encoding: \x00chunked", "Transfer-Encoding: \"chunked\"", "Transfer-Encoding: chunked;a=b",
        "Transfer-Encoding: chunk", "Transfer-Encoding: chunkedx", "Transfer-Encoding: ", "Transfer_Encoding: chunked",
        "Transfer-Encoding\t: chunked", " Transfer-Encoding: chunked", "X: y\nTransfer-Encoding: chunked",
        "X: y\rTransfer-Encoding: chunked", "Transfer-Encoding:\r\n chunked", "Transfer-Encoding: ch\xfcnked",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity", "Transfer-Encoding: x\r\nTransfer-Encoding: chunked",
        "\x00Transfer-Encoding: chunked", "Transfer-Encoding: chunked,", "Transfer-Encoding: ,chunked",
    ):
        # If the field is not Transfer-Encoding, or may be ignored, the length includes the hidden request.
        add(f"CL and {encoding!r}", ended(encoding), EITHER if encoding.startswith("Transfer_") else REFUSED)
    for encoding in ("xchunked", "identity", "gzip", "chunked, gzip", "gzip, chunked", "chunked;a=b"):
        add(f"TE {encoding} alone", lambda b, h, e=encoding: head(f"Transfer-Encoding: {e}") + chunk(b) + "0\r\n\r\n" + h,
            (400, 501))
    add("TE in HTTP/1.0", lambda b, h: head(
        "Transfer-Encoding: chunked", line="POST /resolve HTTP/1.0") + chunk(b) + "0\r\n\r\n" + h)
    add("TE and CL in HTTP/1.0", lambda b, h: head(
        "Transfer-Encoding: chunked", f"Content-Length: {len(b)}", line="POST /resolve HTTP/1.0") + b + h)

    # --- Content-Length ----------------------------------------------------------------------------------------------
    for length in ("+{n}", "-{n}", "0x{n:x}", "{n}_0", "1_{n}", " {n} {n}", "{n},{n}", "{n}, {m}", "{n}.0", "{n}e0", "'{n}'",
                   "", "abc", "{n};", "{n}\x0b", "\x0b{n}", "{n}\x00", "\uff11".encode().decode("latin-1"), "{n} a",
                   "00000000000000000000000000000000{m}x", "{n}\r\n 0"):
        # The hidden request starts after the shorter length and lies within the longer one.
        add(f"CL {length!r}", lambda b, h, l=length: head(
            "Content-Length: " + l.format(n=len(b), m=len(b + h))) + b + h)
    add("CL twice, different", lambda b, h: head(f"Content-Length: {len(b)}", f"Content-Length: {len(b + h)}") + b + h)
    add("CL twice, longer first", lambda b, h: head(f"Content-Length: {len(b + h)}", f"Content-Length: {len(b)}") + b + h)
    add("CL with a space before its colon", lambda b, h: head(f"Content-Length : {len(b + h)}") + b + h)
    add("CL with an underscore", lambda b, h: head(f"Content_Length: {len(b + h)}", f"Content-Length: {len(b)}") + b)
    made[-1] = made[-1]._replace(statuses=EITHER)
    add("CL folded away", lambda b, h: head("X-Fold: a", f" Content-Length: {len(b)}", f"Content-Length: {len(b + h)}") + b + h)
    add("a body that looks like a request", lambda b, h: head(f"Content-Length: {len(b + h)}") + b + h, EITHER)
    add("a click with a body", lambda b, h: head(
        f"Content-Length: {len(h)}", line="GET /legal/other HTTP/1.1", host=(f"Host: {CLICKS}",)) + h, EITHER)
    add("a click with chunks", lambda b, h: head(
        "Transfer-Encoding: chunked", line="GET /legal/other HTTP/1.1", host=(f"Host: {CLICKS}",)) + chunk(h) + "0\r\n\r\n", EITHER)
    add("HEAD with a body", lambda b, h: head(
        f"Content-Length: {len(h)}", line="HEAD /legal/other HTTP/1.1", host=(f"Host: {CLICKS}",)) + h, EITHER)
    add("a file's request with a body", lambda b, h: head(
        f"Content-Length: {len(h)}", line="GET /.well-known/assetlinks.json HTTP/1.1") + h, EITHER)
    add("a refused body", lambda b, h: head(f"Content-Length: {300_000 + len(h)}") + " " * 300_000 + h, (413,))
    add("an unsupported method, with a body", lambda b, h: head(
        f"Content-Length: {len(h)}", line="DELETE /resolve HTTP/1.1") + h, (405,))
    add("a packed body", lambda b, h: head(f"Content-Length: {len(h)}", "Content-Encoding: gzip") + h, (415,))
    add("upgrade to h2c", lambda b, h: head(
        f"Content-Length: {len(b + h)}", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__") + b + h,
        EITHER)
    add("Connection names Content-Length", lambda b, h: head(
        f"Content-Length: {len(b + h)}", "Connection: keep-alive, Content-Length") + b + h, EITHER)

    # --- chunks ------------------------------------------------------------------------------------------------------
    def chunked(build):
        return lambda body, hidden: head("Transfer-Encoding: chunked") + build(body, hidden)

    inside = lambda hidden: f"{len(hidden) + 5:x}\r\n0\r\n\r\n{hidden}\r\n0\r\n\r\n"
    for size in ("-{n:x}", "+{n:x}", "0x{n:x}", "{n:x}_", "{n:x} 0", "1_{n:x}", "", " {n:x}", "{n:x}g", "\x00{n:x}",
                 "1ffffffffffffffff{n:x}", "fffffffffffffff{n:x}", "\"{n:x}\""):
        add(f"chunk of {size!r}", chunked(lambda b, h, s=size: s.format(n=len(b)) + f"\r\n{b}\r\n0\r\n\r\n" + h))
    # A space after the chunk size is bad whitespace, which a server may accept or refuse.
    add("a space after a chunk's size", chunked(lambda b, h: f"{len(b + h):x} \r\n{b}{h}\r\n0\r\n\r\n"), EITHER)
    add("TERM.EXT: a line feed ends an extension", chunked(lambda b, h: f"2;\nxx\r\n{inside(h)}"))
    add("TERM.EXT with a name", chunked(lambda b, h: f"2;a=b\nxx\r\n{inside(h)}"))
    add("EXT.TERM: a line feed within an extension", chunked(
        lambda b, h: f"{len(b):x};a\n{b}\r\n{len(h) + 5:x}\r\n0\r\n\r\n{h}\r\n0\r\n\r\n"))
    add("a carriage return within an extension", chunked(lambda b, h: f"2;a\rxx\r\n{inside(h)}"))
    add("a line feed after a chunk's size", chunked(lambda b, h: f"{len(b):x}\n{b}\r\n0\r\n\r\n{h}"))
    add("a carriage return after a chunk's size", chunked(lambda b, h: f"{len(b):x}\r{b}\r\n0\r\n\r\n{h}"))
    add("TERM.SPILL: a line feed after a chunk", chunked(lambda b, h: f"{len(b):x}\r\n{b}\n0\r\n\r\n{h}"))
    add("SPILL: two bytes that are not a line end", chunked(lambda b, h: f"5\r\nAAAAAXX{len(h) + 3:x}\r\n0\r\n{h}\r\n0\r\n\r\n"))
    add("SPILL: nothing between chunks", chunked(lambda b, h: f"{len(b):x}\r\n{b}0\r\n\r\n{h}"))
    add("only a carriage return after a chunk", chunked(lambda b, h: f"{len(b):x}\r\n{b}\r0\r\n\r\n{h}"))
    add("a line feed ends the last chunk", chunked(lambda b, h: f"{chunk(b)}0\n\n{h}"))
    add("a line feed ends the trailers", chunked(lambda b, h: f"{chunk(b)}0\r\n\n{h}"))
    add("no end of the trailers", chunked(lambda b, h: f"{chunk(b)}0\r\n{h}"), (200, 400, 408))
    add("a length in the trailers", chunked(lambda b, h: f"{chunk(b + ' ' + h)}0\r\nContent-Length: 3\r\n\r\n"), EITHER)
    add("a folded trailer", chunked(lambda b, h: f"{chunk(b)}0\r\nX: a\r\n {h}\r\n"), (200, 400, 408))
    add("a hidden request in a chunk", chunked(lambda b, h: chunk(b + " " + h) + "0\r\n\r\n"), EITHER)

    # --- lines -------------------------------------------------------------------------------------------------------
    add("line feeds alone", lambda b, h: head(f"Content-Length: {len(b + h)}").replace("\r\n", "\n") + b + h)
    add("a line feed before the body", lambda b, h: head(f"Content-Length: {len(b)}", "X: y")[:-4] + "\n\n" + b + h)
    add("returns alone", lambda b, h: head(f"Content-Length: {len(b + h)}").replace("\r\n", "\r") + b + h, (400, 408))
    add("a carriage return in a value", lambda b, h: head(f"X: a\rContent-Length: {len(b + h)}", f"Content-Length: {len(b)}") + b + h)
    add("a folded header", lambda b, h: head("X: a\r\n b", f"Content-Length: {len(b + h)}") + b + h)
    add("a space before the first header", lambda b, h: f"POST /resolve HTTP/1.1\r\n Host: {WEBSITE}\r\nContent-Length: {len(b + h)}\r\n\r\n{b}{h}")
    add("a header without a colon", lambda b, h: head("Nonsense", f"Content-Length: {len(b + h)}") + b + h)
    add("a header without a name", lambda b, h: head(": a", f"Content-Length: {len(b + h)}") + b + h)
    add("NUL in a value", lambda b, h: head("X: a\x00b", f"Content-Length: {len(b + h)}") + b + h)

    # --- request lines and hosts -------------------------------------------------------------------------------------
    length = lambda b, h: f"Content-Length: {len(b + h)}"
    for line in ("POST /resolve", "POST /resolve HTTP/0.9", "POST /resolve HTTP/1.2x", "POST /resolve HTTP/1", "POST /resolve HTTP/11.1",
                 "POST /resolve HTTP/3.0", "POST  /resolve  HTTP/1.1x", "POST /resolve HTTPS/1.1", "POST\t/resolve\tHTTP/1.1",
                 "POST /resolve a HTTP/1.1", "P\x00ST /resolve HTTP/1.1", "POST resolve HTTP/1.1", "POST /res\x00olve HTTP/1.1",
                 " POST /resolve HTTP/1.1"):
        add(f"{line!r}", lambda b, h, l=line: head(length(b, h), line=l) + b + h, (400, 405, 404, 505))
    add("HTTP/0.9", lambda b, h: "GET /legal/hidden\r\n" + h)
    add("no host", lambda b, h: head(length(b, h), host=()) + b + h)
    add("two hosts", lambda b, h: head(length(b, h), host=(f"Host: {WEBSITE}", f"Host: {CLICKS}")) + b + h)
    add("the same host twice", lambda b, h: head(length(b, h), host=(f"Host: {WEBSITE}", f"Host: {WEBSITE}")) + b + h)
    add("another host in the line", lambda b, h: head(length(b, h), line=f"POST http://{CLICKS}/resolve HTTP/1.1") + b + h)
    add("a click, another host in the line", lambda b, h: head(
        line=f"GET http://{CLICKS}/legal/other HTTP/1.1", host=("Host: evil.example",)))
    add("a user in the line", lambda b, h: head(length(b, h), line=f"POST http://a@{WEBSITE}/resolve HTTP/1.1") + b + h)
    for host in ("a b", "a/b", "a,b", "a@b", "a?b", "[::1", "a:b", "a\\b", "a#b", "a:99999", "%00"):
        add(f"Host {host!r}", lambda b, h, n=host: head(line="GET /legal/other HTTP/1.1", host=(f"Host: {n}",)), (400, 404))
    return made


#: Time limit for an answer on a busy machine.
_TIMEOUT = 10


def _judge(variant, answers):
    """Returns the fault in the direct answers to one variant, or None."""
    statuses = answers.statuses
    if 0 in statuses:
        return f"bytes that are not an answer: {answers.data[:60]!r}"
    if not statuses and answers.ending == "open":
        return f"neither answered nor closed"
    # The service may refuse data after a complete request with a second answer, status 400.
    if len(statuses) > 1 and (statuses[0] not in variant.statuses or set(statuses[1:]) - {400} or answers.ending == "open"):
        return f"more than one answer: {answers}"
    if statuses and statuses[0] not in variant.statuses:
        return f"{answers}, not {' or '.join(map(str, variant.statuses))}"
    return None


def _follow(address, tls, wanted):
    """Sends a request on a new client connection after the attack. The answer must belong to it. Returns what is wrong.
    """
    body = json.dumps({"url": f"https://{WEBSITE}/legal/{wanted}"})
    answers = exchange(address, post("/resolve", body, WEBSITE, "Connection: close"), _TIMEOUT, quiet=_TIMEOUT, tls=tls)
    if answers.statuses != [200] or f'"page":"{wanted}"'.encode() not in answers.data:
        return f"the next request was answered {answers}: {answers.data[-120:]!r}"
    return None


def _run(target, address, tls, mark):
    """`tls` is None for a direct connection to the service."""
    first, direct = target.service.newest_event(), tls is None
    tried, faults, endings, answered = variants(mark), [], Counter(), []
    for number, variant in enumerate(tried):
        answers = exchange(address, variant.request, _TIMEOUT, quiet=0.25 if direct else 0.5, tls=tls)
        endings["+".join(map(str, answers.statuses)) or "closed"] += 1
        answered.append(sum(1 for status in answers.statuses if status in (200, 302)))
        wrong = [_judge(variant, answers) if direct else None, _follow(address, tls, f"after-{mark}-{number}")]
        faults += [f"{variant.name}: {fault}" for fault in wrong if fault]
    # Selects this run's events by their mark, because other events arrive meanwhile.
    paths = Counter(event["path"] for event in target.service.events(first) if mark in (event["path"] or ""))
    recorded, divided = 0, 0
    for number, variant in enumerate(tried):
        outer, hidden = (paths[f"/legal/{name}-{mark}-{number}"] for name in ("outer", "hidden"))
        recorded += outer
        divided += hidden
        if outer > 1:
            faults.append(f"{variant.name}: one request was recorded {outer} times")
        if hidden and (direct or outer + hidden > answered[number]):
            faults.append(f"{variant.name}: the hidden request was resolved, with {answered[number]} answers")
    sent = ", ".join(f"{what} ×{count}" for what, count in endings.most_common())
    notes = f"; {recorded} outer requests recorded once each, {divided} hidden"
    if divided and not direct:
        notes += " (each with its own answer: the proxy parsed it as a second request of its client)"
    return Result(f"{len(tried)} variants", sent + notes, faults)


def direct(target):
    # Checks first that marks are found at all: a genuine second request must be recorded.
    mark = f"c{time.time_ns():x}"
    first = target.service.newest_event()
    links = [f"https://{WEBSITE}/legal/{name}-{mark}" for name in ("outer", "hidden")]
    two = b"".join(post("/resolve", json.dumps({"url": link}), WEBSITE) for link in links)
    exchange(target.service.public, two)
    found = sum(1 for event in target.service.events(first) if mark in (event["path"] or ""))
    result = _run(target, target.service.public, None, f"d{time.time_ns():x}")
    if found != 2:
        result.faults.append(f"the control of two requests was recorded {found} times, so the marks prove nothing")
    return result


def behind(kind):
    def attack(target):
        if not shutil.which(kind, path=PROXIES):
            return Result("", "", skipped=f"{kind} is not installed")
        with contextlib.closing(Proxy(kind, target.service)) as proxy:
            return _run(target, proxy.address, CLICKS, f"{kind[0]}{time.time_ns():x}")

    return attack


def useless(target):
    """Requests that leave the connection in a state where the next request gets no answer. Behind a proxy, that request
    is another client's."""
    heads = {
        "Upgrade: h2c": ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"],
        "Upgrade: websocket": ["Connection: upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="],
        "Upgrade: TLS/1.3": ["Connection: Upgrade", "Upgrade: TLS/1.3"],
        "Expect: 100-continue": ["Expect: 100-continue"], "Expect: nonsense": ["Expect: nonsense"],
        "Connection: Close": ["Connection: Close"], "Connection: keep-alive, close": ["Connection: keep-alive, close"],
        "Connection: ,": ["Connection: ,"], "TE: trailers": ["Connection: TE", "TE: trailers"], "Keep-Alive": ["Keep-Alive: timeout=1, max=1"],
    }
    link = '{"url":"https://%s/product/1"}' % WEBSITE
    cases = {f"POST, {name}": post("/resolve", link, WEBSITE, *lines) for name, lines in heads.items()}
    cases |= {f"GET, {name}": get("/legal/a", CLICKS, *lines) for name, lines in heads.items()}
    cases["CONNECT"] = f"CONNECT {CLICKS}:443 HTTP/1.1\r\nHost: {CLICKS}:443\r\n\r\n".encode()
    cases["PRI"] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    cases["TRACE"] = f"TRACE / HTTP/1.1\r\nHost: {CLICKS}\r\n\r\n".encode()
    cases["OPTIONS *"] = f"OPTIONS * HTTP/1.1\r\nHost: {CLICKS}\r\n\r\n".encode()
    faults, seconds = [], Counter()
    for name, request in cases.items():
        with connect(target.service.public) as peer:
            peer.sendall(request)
            first = read_all(peer, 5, 0.3)
            second = None
            if first.ending == "open":
                try:
                    peer.sendall(post("/resolve", link, WEBSITE))
                    second = read_all(peer, 5, 0.3)
                except OSError:
                    first.ending = "closed"
        seconds[str(second) if second else f"{first}, no more"] += 1
        if not first.statuses and name != "PRI":
            faults.append(f"{name}: not answered")
        if second and not second.statuses and second.ending == "open":
            faults.append(f"{name}: answered {first.statuses}, and the next request got no answer")
    return Result(f"{len(cases)} requests, each followed by another", ", ".join(f"{what} ×{n}" for what, n in seconds.items()), faults)


ATTACKS = {"smuggling, direct": direct, "useless connections": useless, **{f"smuggling, {kind}": behind(kind) for kind in ("nginx", "caddy", "haproxy")}}
