"""Requests as bytes, and the parsed answers."""

import re
import socket
import ssl
import time
from collections import Counter

_STATUS = re.compile(rb"HTTP/1\.[01] (\d{3})[^\r\n]*\r\n")


def connect(address, source=None, timeout=5, tls=None):
    """`tls` is a server name: connects with TLS and accepts any certificate."""
    plain = socket.create_connection(address, timeout=timeout, source_address=(source, 0) if source else None)
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if tls is None:
        return plain
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.set_alpn_protocols(["http/1.1"])
    return context.wrap_socket(plain, server_hostname=tls)


class Answers:
    """The answers of a connection in order, and how it ended: `closed`, `reset` or `open`."""

    def __init__(self, data, ending):
        self.data = data
        self.ending = ending
        self.responses = split(data)

    @property
    def statuses(self):
        """The statuses without interim answers such as 100 Continue."""
        return [response.status for response in self.responses if response.status >= 200]

    def __str__(self):
        return f"{','.join(map(str, self.statuses)) or 'nothing'}/{self.ending}"


class Response:
    def __init__(self, status, head, body):
        self.status = status
        self.head = head
        self.body = body

    def header(self, name):
        found = re.search(rb"(?im)^" + re.escape(name.encode()) + rb":[ \t]*([^\r\n]*)", self.head)
        return found.group(1).decode("latin-1") if found else None


def split(data):
    """Parses a server's bytes into answers. Bytes outside any answer become an answer with status 0, so that they are
    noticed."""
    responses = []
    while data:
        found = _STATUS.match(data)
        end = data.find(b"\r\n\r\n")
        if not found or end < 0:
            responses.append(Response(0, data, b""))
            break
        head, rest = data[: end + 4], data[end + 4 :]
        response = Response(int(found.group(1)), head, b"")
        length = response.header("Content-Length")
        if response.header("Transfer-Encoding"):
            size = _chunked_length(rest)
        elif response.status in (204, 304) or response.status < 200:
            size = 0
        else:
            size = int(length) if length else len(rest)
        response.body, data = rest[:size], rest[size:]
        responses.append(response)
    return responses


def _chunked_length(data):
    at = 0
    while True:
        line = data.find(b"\r\n", at)
        if line < 0:
            return len(data)
        size = int(data[at:line].split(b";")[0] or b"0", 16)
        at = line + 2 + size + 2
        if size == 0 or at >= len(data):
            return min(at, len(data))


def read_all(connection, seconds, quiet=None):
    """Reads until the server closes, `seconds` have passed, or, after the first bytes, nothing arrives for `quiet`
    seconds."""
    received, ending = [], "open"
    deadline = time.monotonic() + seconds
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            break
        connection.settimeout(max(0.01, min(left, quiet) if quiet and received else left))
        try:
            part = connection.recv(65536)
        except (socket.timeout, ssl.SSLWantReadError):
            break
        except OSError:
            ending = "reset"
            break
        if not part:
            ending = "closed"
            break
        received.append(part)
    return Answers(b"".join(received), ending)


def exchange(address, request, seconds=5, quiet=0.7, tls=None, half_close=False):
    """Sends the bytes, or each item of an iterable, and reads the answers. Stops sending when the server closes."""
    try:
        with connect(address, tls=tls) as connection:
            try:
                for part in [request] if isinstance(request, bytes) else request:
                    connection.sendall(part)
                if half_close:
                    connection.shutdown(socket.SHUT_WR)
            except OSError:
                # The service closed the connection; its answer says why.
                pass
            return read_all(connection, seconds, quiet)
    except OSError:
        return Answers(b"", "reset")


def post(path, body, host, *headers, version="1.1"):
    """Builds a well-formed request with further header lines."""
    lines = [f"POST {path} HTTP/{version}", f"Host: {host}", "Content-Type: application/json", *headers]
    return ("\r\n".join([*lines, f"Content-Length: {len(body)}", "", ""]) + body).encode("latin-1")


def get(path, host, *headers):
    return "\r\n".join([f"GET {path} HTTP/1.1", f"Host: {host}", *headers, "", ""]).encode("latin-1")


def tally(answers):
    """`400/closed ×3, 413/closed ×1`"""
    counts = Counter(map(str, answers))
    return ", ".join(f"{what} ×{count}" for what, count in counts.most_common())
