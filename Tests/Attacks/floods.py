"""More load than the service is designed for: connections, unread answers, resets."""

import math
import multiprocessing
import os
import resource
import selectors
import socket
import struct
import subprocess
import time
from collections import Counter

from crowd import Crowd
from result import Result
from service import CLICKS, WEBSITE, Service, take_idle_time
from wire import connect, get, post, read_all

#: limits.connections, and the number of connections that clients try to open.
CAP = 10_000
IDLE = 20_000

# --- idle connections ------------------------------------------------------------------------------------------------


def _hold(address, count, start, sources, at_once, opened, ended, results):
    """Runs in a process: opens a share of the connections and keeps them until `ended`. Reports the number of open ones,
    then closes them gradually, or all `at_once`."""
    take_idle_time()
    crowd = Crowd(address)
    batch = 100
    for at in range(0, count, batch):
        crowd.open(min(batch, count - at), start, source=sources[(at // batch) % len(sources)])
        # Opens 2,000 a second in total: this attack is about the number of connections; another one tests the rate.
        crowd.poll(0.1)
    opened.release()
    while not ended.is_set():
        crowd.poll(0.2) if crowd.count else time.sleep(0.2)
    results.put((crowd.count, len(crowd.ended), crowd.refused, dict(Counter(end.status for end in crowd.ended))))
    while crowd.count and not at_once:
        crowd.leave(batch)
        crowd.poll(0.1)
    crowd.close()


def _idle(target, start, what, at_once=False):
    count = 2_000 if target.is_short else IDLE
    descriptors = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    # The service needs one descriptor per connection and some more for itself.
    if not target.is_short and descriptors < CAP + 500:
        reason = f"a process may open {descriptors} descriptors; the attack needs {CAP + 500}"
        return Result(f"{count} {what}", "", skipped=reason)
    processes = max(2, math.ceil(count / (descriptors - 1000)))
    opened, ended = multiprocessing.Semaphore(0), multiprocessing.Event()
    results = multiprocessing.Queue()
    workers = []
    for number in range(processes):
        sources = [f"127.0.{1 + number}.{host}" for host in range(1, 5)]
        share = count // processes
        worker = multiprocessing.Process(
            target=_hold, args=(target.service.public, share, start, sources, at_once, opened, ended, results), daemon=True
        )
        worker.start()
        workers.append(worker)
    for _ in workers:
        opened.acquire(timeout=120)
    most, until = 0, time.monotonic() + target.seconds
    while time.monotonic() < until:
        most = max(most, target.service.descriptors())
        time.sleep(0.5)
    ended.set()
    shares = [results.get(timeout=60) for _ in workers]
    for worker in workers:
        worker.join(60)
    left, closed, refused = (sum(share[at] for share in shares) for at in range(3))
    faults = []
    if most > CAP + 300:
        faults.append(f"the service held {most} descriptors; its limit is {CAP} connections")
    answered = f"the service held {most} descriptors at most; {closed} closed by it, {left} open or waiting, {refused} refused"
    return Result(f"{count} {what}", answered, faults)


def idle_silent(target):
    return _idle(target, b"", "connections that send nothing")


def idle_kept(target):
    # Each connection is served once and then kept alive.
    return _idle(target, get("/.well-known/assetlinks.json", WEBSITE), "connections kept alive after one request")


def idle_refused(target):
    # Tests connections whose request was refused and whose client does not close.
    return _idle(target, b"NONSENSE\r\n\r\n", "connections held open after nonsense")


def leaving_at_once(target):
    return _idle(target, b"", "connections that send nothing, closed at the same moment", at_once=True)


# --- connections at the highest rate ---------------------------------------------------------------------------------


def _connect_and_close(address, ending, seconds, results):
    take_idle_time()
    done, request = Counter(), post("/resolve", '{"url":"https://%s/product/7"}' % WEBSITE, WEBSITE)
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            with connect(address, timeout=2) as peer:
                if ending == "reset":
                    peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                if ending in ("reset", "half"):
                    peer.sendall(request if done["opened"] % 2 else request[:40])
                if ending == "half":
                    peer.shutdown(socket.SHUT_WR)
                    read_all(peer, 2)
            done["opened"] += 1
        except OSError:
            done["failed"] += 1
    results.put(done)


def _storm(target, ending, what):
    results = multiprocessing.Queue()
    workers = [
        multiprocessing.Process(
            target=_connect_and_close, args=(target.service.public, ending, target.seconds, results), daemon=True
        )
        for _ in range(2)
    ]
    for worker in workers:
        worker.start()
    total = sum((results.get(timeout=target.seconds + 60) for _ in workers), Counter())
    for worker in workers:
        worker.join()
    return Result(what, f"{total['opened']} connections, {total['failed']} failed, in {target.seconds:.0f} s")


def connect_and_close(target):
    return _storm(target, "close", "connect and close, as fast as two processes can")


def reset_storm(target):
    return _storm(target, "reset", "connect, send half a request or a whole one, reset")


def half_closed(target):
    return _storm(target, "half", "connect, send half a request or a whole one, close the sending side, read")


def half_closed_and_held(target):
    """Clients that close their sending side and keep the connection open."""
    count = 50 if target.is_short else 500
    body = '{"url":"https://%s/product/7"}' % WEBSITE
    whole, crowd, faults = post("/resolve", body, WEBSITE), Crowd(target.service.public), []
    crowd.open(count, whole, tag="whole")
    crowd.open(count, whole[:40], tag="half")
    crowd.open(count, b"", tag="none")
    crowd.poll(1)
    crowd.finish_sending()
    crowd.poll(4)
    if crowd.count:
        faults.append(f"{crowd.count} of {3 * count} half-closed connections were open four seconds later")
    statuses = Counter(f"{end.tag}: {end.status}" for end in crowd.ended)
    crowd.close()
    return Result(f"{3 * count} half-closed connections", ", ".join(f"{s} ×{n}" for s, n in sorted(statuses.items())), faults)


# --- clients that read no answers ------------------------------------------------------------------------------------


def pipelined(target):
    """20,000 pipelined requests per connection; no answer is read. The kernel holds 4 MiB of answers, which the service does not
    see: fewer requests would leave connections that only look idle."""
    stalled = 30 + 30
    connections = 4 if target.is_short else 40
    # A large response, a file, a redirect, a refusal.
    requests = [
        request * 20_000
        for request in (
            get("/openapi.json", WEBSITE), get("/.well-known/assetlinks.json", WEBSITE), get("/legal/x", CLICKS), get("/x", "nobody.example"),
        )
    ]
    peers = []
    before = target.service.descriptors()
    for number in range(connections):
        # Uses small buffers: the kernel's default buffers would hold the answers to all requests.
        peer = _silent(target.service.public)
        peers.append([peer, memoryview(requests[number % len(requests)])])
    begin, sent, held = time.monotonic(), 0, before + connections
    limit = target.seconds if target.is_short else stalled
    alive = list(peers)
    # A client that reads nothing does not notice the end of its connection, so the service's descriptors are counted.
    while held > before + connections // 10 and time.monotonic() - begin < limit:
        held = target.service.descriptors()
        for entry in list(alive):
            try:
                if entry[1]:
                    wrote = entry[0].send(entry[1][: 1 << 16])
                    entry[1], sent = entry[1][wrote:], sent + wrote
            except BlockingIOError:
                pass  # The service stopped reading because its answers are not read.
            except OSError:
                alive.remove(entry)
        time.sleep(0.05)
    took = time.monotonic() - begin
    faults = []
    open_still = max(0, held - before)
    if open_still > connections // 10 and not target.is_short:
        faults.append(f"{open_still} of {connections} connections were open after {took:.0f} s without reading")
    for peer, _ in peers:
        peer.close()
    return Result(
        f"{connections} connections with 20,000 pipelined requests, no answer read",
        f"{connections - open_still} closed after {took:.0f} s; {sent >> 20} MiB of requests were accepted", faults,
    )


def _pipeline_and_read(address, seconds, received):
    """20 connections that send requests as fast as the service reads them, and read all answers."""
    requests = [
        request * 500 for request in (get("/x", "nobody.example"), get("/.well-known/assetlinks.json", WEBSITE), get("/legal/x", CLICKS))
    ]
    selector = selectors.DefaultSelector()
    for number in range(20):
        peer = connect(address)
        peer.setblocking(False)
        selector.register(peer, selectors.EVENT_READ | selectors.EVENT_WRITE, [memoryview(requests[number % len(requests)]), 0])
    count, until = 0, time.monotonic() + seconds
    while time.monotonic() < until:
        for key, events in selector.select(0.1):
            data, at = key.data
            try:
                if events & selectors.EVENT_READ:
                    count += len(key.fileobj.recv(1 << 18))
                if events & selectors.EVENT_WRITE:
                    key.data[1] = (at + key.fileobj.send(data[at:])) % len(data)
            except BlockingIOError:
                pass
            except OSError:
                selector.unregister(key.fileobj)
    received.put(count)


def pipelined_and_read(target):
    """Pipelines requests and reads the responses. No connection may monopolise an event loop or delay the
    probes."""
    seconds, received = 3 if target.is_short else max(10, target.seconds), multiprocessing.Queue()
    attacker = multiprocessing.Process(target=_pipeline_and_read, args=(target.service.public, seconds, received))
    attacker.start()
    times, faults, until = [], [], time.monotonic() + seconds
    while time.monotonic() < until:
        begin = time.monotonic()
        try:
            target.service.ask("ops", "/livez", timeout=5)
        except OSError as error:
            faults.append(f"/livez: {error}")
        times.append(time.monotonic() - begin)
        time.sleep(0.05)
    count = received.get(timeout=30)
    attacker.join()
    if max(times) > 0.5 and not target.is_short:
        faults.append(f"a probe took {max(times) * 1000:.0f} ms")
    return Result(
        "20 connections that pipeline and read", f"{count >> 20} MiB of answers; {len(times)} probes took {max(times) * 1000:.0f} ms at most", faults
    )


#: How much the service may grow, and how much of the growth may remain shortly after the clients have left.
GROWTH_BYTES, LEFT_BYTES = 256 << 20, 96 << 20


def _endpoints(service):
    """Requests of every kind, by port."""
    key = f"Authorization: Bearer {service.key}"
    admin = "/admin/v1/tenants"
    return {
        "public": [
            get("/.well-known/assetlinks.json", WEBSITE), get("/openapi.json", WEBSITE), get("/legal/x", CLICKS),
            get("/x", "nobody.example"), post("/resolve", '{"url":"https://%s/product/7","explain":true}' % WEBSITE, WEBSITE),
            post("/resolve", "{", WEBSITE), get("/resolve", WEBSITE), get("/.well-known/apple-app-site-association", "farechoice.taxi"),
        ],
        "admin": [
            get("/openapi.json", "a"), get(admin, "a", key), get(admin, "a"), get("/nothing", "a", key),
            get(f"{admin}/shop/draft", "a", key), get(f"{admin}/shop/draft/routes", "a", key, "Accept: application/x-ndjson"),
            get(f"{admin}/shop/events?limit=1000", "a", key), get(f"{admin}/shop/stats/totals", "a", key),
        ],
        "ops": [get("/metrics", "a"), get("/readyz?verbose", "a"), get("/nothing", "a")],
    }


def _silent(address):
    """A connection with the smallest possible receive buffer."""
    peer = socket.socket()
    peer.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    peer.settimeout(5)
    peer.connect(address)
    peer.setblocking(False)
    return peer


def unread(target):
    """Connections to every endpoint that send requests and never read."""
    service, kinds = target.service, [(port, one) for port, all in _endpoints(target.service).items() for one in all]
    connections, seconds = (60, 5) if target.is_short else (200, max(60, target.seconds))
    before, peak, sent, cut, peers = service.resident_bytes(), 0, 0, 0, {}
    until = time.monotonic() + seconds
    while time.monotonic() < until and service.is_alive:
        for number in range(connections):
            port, request = kinds[number % len(kinds)]
            try:
                if number not in peers:
                    peers[number] = [_silent(("127.0.0.1", service.ports[port])), b""]
                entry = peers[number]
                entry[1] = entry[1] or request * 200
                wrote = entry[0].send(entry[1])
                entry[1], sent = entry[1][wrote:], sent + wrote
            except BlockingIOError:
                pass  # The service stopped reading because its answers are not read.
            except OSError:
                # The service closed the connection; opens a new one.
                peers.pop(number, [socket.socket()])[0].close()
                cut += 1
        peak = max(peak, service.resident_bytes())
        time.sleep(0.05)
    waiting = service.metric("fingerpost_unsent_bytes")
    for peer, _ in peers.values():
        peer.close()
    growth, left = peak - before, peak - before
    patience = time.monotonic() + 40
    while left > LEFT_BYTES and time.monotonic() < patience and service.is_alive:
        time.sleep(1)
        left = service.resident_bytes() - before
    faults = []
    if growth > GROWTH_BYTES:
        faults.append(f"the service grew by {growth >> 20} MiB, more than {GROWTH_BYTES >> 20}")
    if left > LEFT_BYTES:
        faults.append(f"{left >> 20} MiB of the growth remained 40 s after the clients had left")
    return Result(
        f"{connections} connections to {len(kinds)} endpoints that send requests for {seconds:.0f} s and read nothing",
        f"{sent >> 20} MiB of requests were accepted, {cut} connections closed, {int(waiting) >> 10} KiB of answers waited; "
        f"memory grew by {growth >> 20} MiB, of which {left >> 20} remained",
        faults,
    )


def few_descriptors(target):
    """Opens 1,500 idle connections to a service that may open 1,024 files."""
    service, faults = Service(target.service.binary, descriptors=1_024), []
    try:
        idle = []
        for _ in range(1_500):
            peer = socket.socket()
            peer.setblocking(False)
            peer.connect_ex(service.public)
            idle.append(peer)
        time.sleep(1)
        spent, begin, slowest = service.cpu_seconds(), time.monotonic(), 0
        while time.monotonic() - begin < 3:
            for port, path in (("ops", "/livez"), ("ops", "/readyz"), ("admin", "/admin/v1/tenants")):
                asked = time.monotonic()
                try:
                    service.ask(port, path, timeout=4)
                except OSError as error:
                    faults.append(f"{port} {path}: {error}")
                slowest = max(slowest, time.monotonic() - asked)
            time.sleep(0.1)
        share = (service.cpu_seconds() - spent) / (time.monotonic() - begin)
        if slowest > 0.05 and not target.is_short:
            faults.append(f"a probe took {slowest * 1000:.0f} ms, more than 50")
        if share > 0.5:
            faults.append(f"the service used {share:.0%} of a core")
        listed = subprocess.run([service.binary, "keys", "list", "--data", service.data], capture_output=True, timeout=30)
        if listed.returncode:
            faults.append(f"keys list over the control socket: exit {listed.returncode}: {listed.stderr[-200:]}")
        held = service.descriptors()
        for peer in idle:
            peer.close()
    finally:
        if (status := service.stop()) != 0:
            faults.append(f"SIGTERM ended the service with {status}")
    return Result(
        "1,500 idle connections to a service that may open 1,024 files",
        f"it held {held} descriptors; probes and the admin port answered within {slowest * 1000:.0f} ms, "
        f"{share:.0%} of a core",
        list(dict.fromkeys(faults)),
    )


ATTACKS = {
    "unread answers": unread,
    "few descriptors": few_descriptors,
    "silent connections": idle_silent,
    "kept connections": idle_kept,
    "held after nonsense": idle_refused,
    "leaving at once": leaving_at_once,
    "connect and close": connect_and_close,
    "resets": reset_storm,
    "half closed": half_closed,
    "half closed and held": half_closed_and_held,
    "pipelining unread": pipelined,
    "pipelining": pipelined_and_read,
}
