#!/usr/bin/env python3
"""Runs HTTP/2 floods one after another against a running service, while a well-behaved client sends requests.

    http2_floods.py --url https://127.0.0.1:PORT --pid PID [--only NAME …] [--rounds N]

Needs h2 (4.4.1) with hpack and hyperframe, from PyPI. Prints a Markdown row for each attack: what was sent, how the
connection ended, the results of the well-behaved client, and the service's memory. The exit status is 1 if a connection
ended in an unexpected way, a well-behaved request failed, memory grew beyond the limit, or the service died.
"""

import argparse
import os
import select
import socket
import ssl
import struct
import sys
import threading
import time
from urllib.parse import urlsplit

import h2.config
import h2.connection
import h2.events
from hpack import Encoder
from hyperframe.frame import Frame, GoAwayFrame, RstStreamFrame

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, _, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS = 0x1, 0x1, 0x4
NO_ERROR, PROTOCOL_ERROR, CALM = 0, 1, 11
NAMES = {0: "NO_ERROR", 1: "PROTOCOL_ERROR", 3: "FLOW_CONTROL_ERROR", 9: "COMPRESSION_ERROR", 11: "ENHANCE_YOUR_CALM"}
MIB = 1 << 20
#: How much memory one attack may add, and the limit after all attacks.
GROWTH, RESIDENT = 128 * MIB, 512 * MIB
#: The minimum duration of each attack.
SECONDS = 3
HOST = "go.yourappdomain.com"


def frame(kind, flags=0, stream=0, payload=b""):
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


def head(path="/x", *fields, method="GET", authority=HOST):
    """A header block that needs no dynamic table."""
    encoder = Encoder()
    encoder.header_table_size = 0
    pairs = [(":method", method), (":scheme", "https"), (":path", path), (":authority", authority), *fields]
    return encoder.encode(pairs, huffman=False)


def request(stream, block=None, flags=END_STREAM | END_HEADERS):
    return frame(HEADERS, flags, stream, head() if block is None else block)


class Connection:
    """A connection that sends arbitrary frames. It reads the answers meanwhile, unless `reads` is false."""

    def __init__(self, address, reads=True, settings=()):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.set_alpn_protocols(["h2"])
        plain = socket.create_connection(address, timeout=10)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if not reads:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        self._socket = context.wrap_socket(plain, server_hostname=HOST)
        assert self._socket.selected_alpn_protocol() == "h2", "the service does not offer h2"
        self._socket.setblocking(False)
        self._reads = reads
        self._buffer = b""
        self.resets = 0
        self.goaway = None
        self.ended = None
        self.send(PREFACE + frame(SETTINGS, payload=b"".join(struct.pack(">HI", *one) for one in settings)))

    def send(self, data, patience=30):
        """Returns whether all data was sent."""
        until = time.monotonic() + patience
        while data and not self.ended:
            try:
                data = data[self._socket.send(data) :]
            except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
                if time.monotonic() > until:
                    return False
                select.select([self._socket] if self._reads else [], [self._socket], [], 0.5)
            except OSError:
                self.ended = "reset"
            if self._reads:
                self.read()
        return not self.ended

    def read(self):
        """Reads what has arrived."""
        try:
            while not self.ended:
                data = self._socket.recv(65_536)
                if not data:
                    self.ended = "closed"
                self._take(data)
        except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
            pass
        except OSError:
            self.ended = "reset"

    def _take(self, data):
        self._buffer += data
        while len(self._buffer) >= 9:
            one, length = Frame.parse_frame_header(memoryview(self._buffer)[:9])
            if len(self._buffer) < 9 + length:
                break
            if isinstance(one, GoAwayFrame):
                one.parse_body(memoryview(self._buffer)[9 : 9 + length])
                self.goaway = one.error_code
            self.resets += isinstance(one, RstStreamFrame)
            self._buffer = self._buffer[9 + length :]

    def wait(self, seconds):
        """Waits until the service ends the connection. Returns how it ended."""
        until = time.monotonic() + seconds
        while not self.ended and time.monotonic() < until:
            select.select([self._socket], [], [], 0.25)
            self.read()
        return self.ending

    @property
    def ending(self):
        said = "" if self.goaway is None else f"GOAWAY {NAMES.get(self.goaway, self.goaway)}, "
        return said + (self.ended or "open")

    def close(self):
        self._socket.close()


class Beside:
    """A well-behaved client: sends requests one after another over one HTTP/2 connection and reconnects when it is
    closed."""

    def __init__(self, address):
        self._address = address
        self._stop = threading.Event()
        self.latencies, self.failures = [], []
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._stop.is_set():
            connection = None
            try:
                connection, h = self._open()
                # Enough requests to share a connection with the attack, and fewer than any limit.
                for stream in range(1, 200, 2):
                    if self._stop.is_set():
                        break
                    began = time.monotonic()
                    status = self._ask(connection, h, stream)
                    self.latencies.append(time.monotonic() - began)
                    if status != b"302":
                        self.failures.append(str(status))
                    time.sleep(0.02)
            # Any exception means that the client was not served.
            except Exception as error:
                self.failures.append(repr(error))
                time.sleep(0.2)
            finally:
                if connection is not None:
                    connection.close()

    def _open(self):
        context = ssl.create_default_context()
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.set_alpn_protocols(["h2"])
        connection = context.wrap_socket(socket.create_connection(self._address, timeout=15), server_hostname=HOST)
        h = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True))
        h.initiate_connection()
        connection.sendall(h.data_to_send())
        return connection, h

    def _ask(self, connection, h, stream):
        fields = [(":method", "GET"), (":scheme", "https"), (":authority", HOST), (":path", "/product/1")]
        h.send_headers(stream, fields, end_stream=True)
        connection.sendall(h.data_to_send())
        status = None
        while True:
            data = connection.recv(65_536)
            if not data:
                raise ConnectionError("the service closed the connection of a well-behaved client")
            for event in h.receive_data(data):
                if isinstance(event, h2.events.ResponseReceived):
                    status = dict(event.headers).get(b":status")
                elif isinstance(event, h2.events.StreamEnded):
                    connection.sendall(h.data_to_send())
                    return status
                elif isinstance(event, (h2.events.ConnectionTerminated, h2.events.StreamReset)):
                    raise ConnectionError(repr(event))
            connection.sendall(h.data_to_send())

    def take(self):
        latencies, failures = sorted(self.latencies), self.failures
        self.latencies, self.failures = [], []
        return latencies, failures

    def stop(self):
        self._stop.set()
        self._thread.join(20)


class Memory:
    """Samples the service's memory ten times a second and keeps the maximum."""

    def __init__(self, pid):
        self._pid = pid
        self.peak = self.now()
        threading.Thread(target=self._watch, daemon=True).start()

    def now(self):
        with open(f"/proc/{self._pid}/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def _watch(self):
        try:
            while True:
                self.peak = max(self.peak, self.now())
                time.sleep(0.1)
        except OSError:
            pass

    def take(self):
        peak, self.peak = self.peak, self.now()
        return peak


# --- attacks ---------------------------------------------------------------------------------------------------------
# Each attack sends until the connection ends or its limit is reached. It returns what it sent and how the connection
# ended.


def flood(address, make, count, wanted, settings=(), first=b"", seconds=30):
    """Sends the result of `make` for `count` numbers. The connection must end with a GOAWAY code in `wanted`; None
    stands for an end without GOAWAY."""
    connection = Connection(address, settings=settings)
    connection.send(first)
    sent = 0
    for number in range(count):
        if not connection.send(make(number)):
            break
        sent += 1
        if connection.ended:
            break
    ending = connection.wait(seconds)
    connection.close()
    faults = []
    if connection.ended is None:
        faults.append(f"still open after {sent} of {count}")
    elif connection.goaway is None:
        # The kernel discards GOAWAY when the client still sends, but the connection has ended.
        if connection.ended != "reset" and None not in wanted:
            faults.append("ended without GOAWAY")
    elif connection.goaway not in wanted:
        faults.append(f"ended with {NAMES.get(connection.goaway, connection.goaway)}")
    return f"{sent} × {len(make(1))} B", ending, faults


def rapid_reset(address):
    """CVE-2023-44487: requests that the client resets at once."""
    def make(number):
        stream = 2 * number + 1
        return request(stream) + frame(RST_STREAM, stream=stream, payload=struct.pack(">I", 8))
    return flood(address, make, 100_000, {CALM})


def made_you_reset(address):
    """CVE-2025-8671: requests followed by an invalid frame, so that the server resets them."""
    def make(number):
        stream = 2 * number + 1
        return request(stream) + frame(WINDOW_UPDATE, stream=stream, payload=struct.pack(">I", 0))
    # An increment of 0 ends the whole connection here, not only the stream. GOAWAY may get lost if unread frames are
    # left.
    return flood(address, make, 100_000, {CALM, PROTOCOL_ERROR, None})


def wrong_heads(address):
    """Complete requests without end."""
    block = head("/x", ("connection", "close"))
    return flood(address, lambda number: request(2 * number + 1, block), 100_000, {CALM, None})


def continuation(address):
    """CVE-2024-27316: a header block that never ends."""
    block = head()
    piece = Encoder().encode([("x-a", "b" * 1_000)], huffman=False)
    return flood(
        address, lambda _: frame(CONTINUATION, 0, 1, piece), 100_000, {CALM, PROTOCOL_ERROR, 9}, first=request(1, block, END_STREAM)
    )


def empty_continuation(address):
    return flood(address, lambda _: frame(CONTINUATION, 0, 1), 100_000, {CALM}, first=request(1, head(), END_STREAM))


def pings(address):
    return flood(address, lambda number: frame(PING, payload=struct.pack(">Q", number)), 100_000, {CALM})


def settings(address):
    payload = struct.pack(">HI", 4, 65_535) * 100
    return flood(address, lambda _: frame(SETTINGS, payload=payload), 100_000, {CALM})


def priorities(address):
    return flood(address, lambda number: frame(PRIORITY, 0, 2 * number + 1, struct.pack(">IB", 0, 1)), 100_000, {CALM})


def empty_data(address):
    return flood(
        address, lambda _: frame(DATA, 0, 1), 100_000, {CALM}, first=request(1, head("/resolve", method="POST"), END_HEADERS)
    )


def unknown_frames(address):
    """Unknown frame types must be ignored, so only their cost is checked."""
    connection = Connection(address)
    sent = 0
    for _ in range(20_000):
        if not connection.send(frame(0xEE, 0xFF, 0, b"a" * 1_000)):
            break
        sent += 1
    ending = connection.ending
    connection.close()
    return f"{sent} × 1,009 B", ending, []


def window_updates(address):
    """A flow-control window that overflows, which ends the connection."""
    return flood(address, lambda _: frame(WINDOW_UPDATE, payload=struct.pack(">I", 0x7FFFFFF)), 100_000, {3})


def hpack_bomb(address):
    """CVE-2016-6581: a 4 KB field in the dynamic table, referenced repeatedly with one byte each."""
    encoder = Encoder()
    first = encoder.encode(
        [(":method", "GET"), (":scheme", "https"), (":path", "/x"), (":authority", HOST), ("a", "a" * 4_000)], huffman=False
    )
    again = encoder.encode([(":method", "GET"), (":scheme", "https"), (":path", "/x"), (":authority", HOST)], huffman=False)
    bomb = again + b"\xbe" * 15_000
    return flood(
        address, lambda number: request(2 * number + 3, bomb), 1_000, {CALM, PROTOCOL_ERROR, 9}, first=request(1, first)
    )


def hpack_table_games(address):
    """Endless changes of the dynamic table size within one header block."""
    block = b"\x20" * 15_000 + head()
    return flood(address, lambda number: request(2 * number + 1, block), 1_000, {CALM, PROTOCOL_ERROR, 9})


def three_heads(address):
    """More header blocks than a request may have."""
    def make(number):
        stream = 2 * number + 1
        trailer = Encoder().encode([("x-a", "b")], huffman=False)
        return request(stream, head("/resolve", method="POST"), END_HEADERS) + 3 * frame(HEADERS, END_HEADERS, stream, trailer)
    return flood(address, make, 10_000, {CALM, PROTOCOL_ERROR, None})


def too_many_streams(address):
    """More concurrent requests than allowed, none of them complete."""
    block = head("/resolve", method="POST")
    return flood(address, lambda number: request(2 * number + 1, block, END_HEADERS), 100_000, {CALM, PROTOCOL_ERROR})


def held(address, connections, make, settings_, limit, reads=True):
    """Connections that read nothing. The service must end each stream or connection within the time limit."""
    opened = [Connection(address, settings=settings_, reads=reads) for _ in range(connections)]
    for connection in opened:
        connection.send(b"".join(make(2 * number + 1) for number in range(100)))
    until = time.monotonic() + limit
    streams = 100 * connections
    while time.monotonic() < until and not all(one.ended or one.resets >= 100 for one in opened):
        for one in opened:
            one.read()
        time.sleep(0.25)
    resets = sum(one.resets for one in opened)
    ended = sum(1 for one in opened if one.ended)
    faults = [] if all(one.ended or one.resets >= 100 for one in opened) else [
        f"{sum(1 for one in opened if not one.ended and one.resets < 100)} connections still hold streams after {limit} s"
    ]
    for one in opened:
        one.close()
    return f"{connections} × 100 requests", f"{resets} of {streams} RST_STREAM, {ended} connections closed", faults


def zero_window(address):
    """CVE-2019-9517: a flow-control window of zero, so that no answer can be written."""
    return held(address, 20, lambda stream: request(stream, head("/openapi.json")), [(4, 0)], 75)


def bodies_that_do_not_come(address):
    """Request heads whose bodies never arrive."""
    return held(address, 20, lambda stream: request(stream, head("/resolve", method="POST"), END_HEADERS), [(4, 0)], 75)


def not_read(address):
    """CVE-2019-9511: maximum flow-control windows and a client that reads nothing from its socket."""
    opened = [Connection(address, reads=False, settings=[(4, 0x7FFFFFFF)]) for _ in range(20)]
    sent = 0
    for connection in opened:
        connection.send(frame(WINDOW_UPDATE, payload=struct.pack(">I", 0x7FFF0000)))
        for number in range(2_000):
            if not connection.send(request(2 * number + 1, head("/openapi.json")), patience=1):
                break
            sent += 1
    until = time.monotonic() + 75
    waiting = list(opened)
    while waiting and time.monotonic() < until:
        # Data sent on a closed connection is answered with a TCP reset.
        for one in waiting:
            one.send(frame(WINDOW_UPDATE, payload=struct.pack(">I", 1)), patience=0)
        waiting = [one for one in waiting if not one.ended]
        time.sleep(1)
    for one in opened:
        one.close()
    faults = [f"{len(waiting)} connections are open after 75 s"] if waiting else []
    return f"20 × {sent // 20} requests", f"{20 - len(waiting)} connections closed", faults


ATTACKS = {
    "rapid reset": rapid_reset, "made you reset": made_you_reset, "wrong heads": wrong_heads, "CONTINUATION flood": continuation,
    "empty CONTINUATION": empty_continuation, "PING flood": pings, "SETTINGS flood": settings, "PRIORITY flood": priorities,
    "empty DATA": empty_data, "unknown frames": unknown_frames, "window overflow": window_updates, "HPACK bomb": hpack_bomb,
    "HPACK table sizes": hpack_table_games, "three heads": three_heads, "streams above the limit": too_many_streams,
    "window of zero": zero_window, "bodies that do not come": bodies_that_do_not_come, "answers not read": not_read,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", required=True)
    parser.add_argument("--pid", required=True, type=int)
    parser.add_argument("--only", action="append", choices=list(ATTACKS))
    parser.add_argument("--rounds", type=int, default=3, help="repetitions of each flood, each on a new connection")
    options = parser.parse_args()
    url = urlsplit(options.url)
    address = (url.hostname, url.port)
    memory, beside = Memory(options.pid), Beside(address)
    time.sleep(2)
    quiet, failures = beside.take()
    broken = [f"before any attack: {failure}" for failure in failures[:3]]
    print(f"without attacks: {len(quiet)} requests, p99 {percentile(quiet) * 1000:.1f} ms\n")
    print("| attack | sent | ended with | well-behaved client: requests, failed, p99 | memory, growth |")
    print("| --- | --- | --- | --- | --- |")
    for name in options.only or ATTACKS:
        before = memory.now()
        memory.take()
        slow = name in ("window of zero", "bodies that do not come", "answers not read")
        faults, began, rounds = [], time.monotonic(), 0
        # Repeats short attacks until the well-behaved client has sent enough requests.
        while rounds < (1 if slow else options.rounds) or time.monotonic() - began < SECONDS:
            sent, ending, wrong = ATTACKS[name](address)
            faults += [fault for fault in wrong if fault not in faults]
            rounds += 1
        try:
            peak = memory.take()
        except OSError:
            print(f"| {name} | {sent} | {ending} | | |", flush=True)
            broken.append(f"{name}: the service died.")
            break
        latencies, failures = beside.take()
        if failures:
            faults.append(f"{len(failures)} well-behaved requests failed: {', '.join(failures[:3])}")
        if not latencies:
            faults.append("no well-behaved request was answered")
        if peak - before > GROWTH or peak > RESIDENT:
            faults.append(f"memory grew by {(peak - before) / MIB:.0f} MiB to {peak / MIB:.0f} MiB")
        print(
            f"| {name} | {sent} | {ending} | {len(latencies)}, {len(failures)}, {percentile(latencies) * 1000:.1f} ms "
            f"| {peak / MIB:.0f} MiB, {(peak - before) / MIB:+.0f} |",
            flush=True,
        )
        broken += [f"{name}: {fault}" for fault in faults]
    beside.stop()
    print()
    print("\n".join(broken) or "every attacking connection ended, and every well-behaved request was answered")
    sys.exit(1 if broken else 0)


def percentile(latencies):
    return latencies[min(len(latencies) - 1, int(len(latencies) * 0.99))] if latencies else float("nan")


if __name__ == "__main__":
    main()
