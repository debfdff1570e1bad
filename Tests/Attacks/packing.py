"""Compressed bodies: the service never decompresses a request."""

import gzip
import zlib

from result import Result
from service import WEBSITE
from wire import exchange, tally

_BODY = b'{"url":"https://%s/product/1"}' % WEBSITE.encode()


def _cases():
    zeros = bytes(10_000_000)
    small = gzip.compress(_BODY)
    bomb = gzip.compress(zeros, 9)
    packed = zlib.compressobj(9, zlib.DEFLATED, -15)
    raw = packed.compress(zeros) + packed.flush()
    # A hand-written Brotli stream: an empty last block.
    brotli = b"\x3b"
    return {
        "gzip": ("gzip", small), "GZIP": ("GZIP", small), "x-gzip": ("x-gzip", small),
        "gzip of 10 MB": ("gzip", bomb), "deflate of 10 MB": ("deflate", zlib.compress(zeros, 9)),
        "raw deflate of 10 MB": ("deflate", raw), "br": ("br", brotli), "zstd": ("zstd", b"\x28\xb5\x2f\xfd\x00\x58\x01\x00\x00"),
        "gzip twice": ("gzip, gzip", gzip.compress(bomb)), "ten times": (", ".join(["gzip"] * 10), bomb),
        "gzip then junk": ("gzip", small + b"junk" * 100), "gzip of nothing": ("gzip", b""),
        "many members": ("gzip", gzip.compress(b"") * 500), "cut short": ("gzip", bomb[: len(bomb) // 2]),
        "identity and gzip": ("identity, gzip", small), "unknown": ("quantum", small), "no name": (",", small),
        "plain text declared as gzip": ("gzip", _BODY), "gzip after a tab": ("\tgzip\t", small),
    }


def bombs(target):
    """Every encoding is refused before the body is read. `identity` alone counts as no encoding."""
    answers, faults = [], []
    places = [("public", "POST /resolve", ""), ("admin", "PUT /admin/v1/tenants/shop/draft", target.service.key)]
    for port, line, key in places:
        for name, (encoding, body) in _cases().items():
            authorization = f"Authorization: Bearer {key}\r\n" if key else ""
            head = (
                f"{line} HTTP/1.1\r\nHost: {WEBSITE}\r\nContent-Type: application/json\r\n{authorization}"
                f"Content-Encoding: {encoding}\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            answer = exchange(getattr(target.service, port), head.encode() + body)
            answers.append(answer)
            if answer.statuses != [415] and not (name == "no name" and answer.statuses in ([400], [415])):
                faults.append(f"{port}, {name}: {answer}, not 415")
    # Transfer codings other than chunked are encodings too; the smuggling attack tests them.
    identity = b"POST /resolve HTTP/1.1\r\nHost: a\r\nContent-Encoding: identity\r\nContent-Length: %d\r\n\r\n" % len(_BODY)
    answer = exchange(target.service.public, identity + _BODY)
    if answer.statuses != [200]:
        faults.append(f"identity: {answer}, not 200")
    return Result(f"{len(answers)} compressed bodies, with up to 10 MB of content", tally(answers), faults)


ATTACKS = {"packed bodies": bombs}
