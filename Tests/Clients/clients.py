"""Starts a service, sends requests to its three ports with third-party HTTP clients, and prints the results.

    clients.py BINARY

h11 and h2 (PyPI) check every byte of an answer against the protocol. curl, nghttp and Node's clients represent common
use. The exit status is 1 if any client found a fault.
"""

import os
import re
import socket
import ssl
import subprocess
import sys
import tempfile

import h2.config
import h2.connection
import h2.events
import h11

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Attacks"))
from service import WEBSITE, Service  # noqa: E402

FILE = "/.well-known/assetlinks.json"
ROUTES = "/admin/v1/tenants/shop/draft/routes"
LINK = b'{"url":"yourapp://product/1"}'


class Wrong(Exception):
    pass


def expect(what, found, wanted):
    if found not in (wanted if isinstance(wanted, (list, tuple)) else [wanted]):
        raise Wrong(f"{what}: {str(found)[:200]}, not {wanted}")


# --- h11 -------------------------------------------------------------------------------------------------------------


class H11:
    """An HTTP/1 connection that raises on any violation of RFC 9112."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.connection = h11.Connection(h11.CLIENT)

    def send(self, method, path, headers=(), body=b"", version="1.1"):
        lines = [("Host", WEBSITE), ("Content-Length", str(len(body))), *headers] if body else [("Host", WEBSITE), *headers]
        data = self.connection.send(h11.Request(method=method, target=path, headers=lines))
        if version == "1.0":
            data = data.replace(b"HTTP/1.1\r\n", b"HTTP/1.0\r\n", 1)
        if body:
            data += self.connection.send(h11.Data(data=body))
        return data + self.connection.send(h11.EndOfMessage())

    def ask(self, *args, **more):
        self.socket.sendall(self.send(*args, **more))
        return self.answer()

    def answer(self):
        """Returns status, headers and body. Afterwards the connection is ready for the next request, or must be closed.
        """
        head, body = None, b""
        while True:
            event = self.connection.next_event()
            if event is h11.NEED_DATA:
                self.connection.receive_data(self.socket.recv(65536))
            elif isinstance(event, h11.Response):
                head = event
            elif isinstance(event, h11.Data):
                body += bytes(event.data)
            elif isinstance(event, h11.EndOfMessage):
                break
            elif isinstance(event, h11.ConnectionClosed):
                raise Wrong("the connection ended before the answer")
        if self.connection.states[h11.SERVER] is h11.DONE and self.connection.states[h11.CLIENT] is h11.DONE:
            left = self.connection.trailing_data[0]
            self.connection.start_next_cycle()
            self.left = left
        return head.status_code, dict((name.decode(), value.decode()) for name, value in head.headers), body

    def close(self):
        self.socket.close()


def h11_cases(service):
    key = ("Authorization", f"Bearer {service.key}")
    lines = ("Accept", "application/x-ndjson")
    cases = {
        "public": [
            ("GET", FILE, [], b"", 200), ("HEAD", FILE, [], b"", 200), ("GET", "/openapi.json", [], b"", 200),
            ("HEAD", "/nothing", [], b"", 404), ("GET", "/nothing", [], b"", 404), ("HEAD", "/resolve", [], b"", 405),
            ("PUT", "/resolve", [], b"{}", 405), ("POST", "/resolve", [], LINK, 200), ("POST", "/resolve", [], b"{", 400),
            ("OPTIONS", "/resolve", [], b"", 405), ("GET", FILE, [], b"", 200),
        ],
        "admin": [
            ("GET", "/openapi.json", [], b"", 200), ("GET", "/admin/v1/tenants", [key], b"", 200),
            ("GET", "/admin/v1/tenants", [], b"", 401), ("HEAD", "/admin/v1/tenants", [], b"", [401, 405]),
            ("GET", ROUTES, [key, lines], b"", 200), ("HEAD", ROUTES, [key, lines], b"", 405),
            ("PATCH", "/admin/v1/tenants", [key], b"{}", 405), ("GET", "/admin/v1/tenants/nobody/nothing", [key], b"", 404),
            ("GET", "/admin/v1/tenants", [key], b"", 200),
        ],
        "ops": [
            ("GET", "/livez", [], b"", 200), ("HEAD", "/livez", [], b"", [200, 405]), ("GET", "/readyz?verbose", [], b"", 200),
            ("GET", "/metrics", [], b"", 200), ("POST", "/metrics", [], b"x", 405), ("GET", "/nothing", [], b"", 404),
            ("GET", "/livez", [], b"", 200),
        ],
    }
    for port, requests in cases.items():
        # Uses one connection for all: an answer with an extra or missing byte breaks the next one.
        peer, asked = H11(service.ports[port]), 0
        for method, path, headers, body, status in requests:
            found, _, answer = peer.ask(method, path, headers, body)
            expect(f"{port} {method} {path}", found, status)
            expect(f"{port} {method} {path} has a body", bool(answer), method != "HEAD")
            asked += 1
        peer.close()
        yield f"{port}: {asked} requests on one connection"
    yield from h11_ways(service, key, lines)


def h11_ways(service, key, lines):
    public, admin = service.ports["public"], service.ports["admin"]
    peer = H11(public)
    status, headers, _ = peer.ask("GET", FILE)
    expect("GET", status, 200)
    status, _, body = peer.ask("GET", FILE, [("If-None-Match", headers["etag"])])
    expect("conditional GET", status, 304)
    expect("its body", body, b"")
    expect("after it", peer.ask("GET", FILE)[0], 200)
    peer.close()
    yield "conditional GET"

    for path, count in ((FILE, 50), ("/openapi.json", 20), ("/nothing", 30)):
        peer = H11(public)
        data = b"".join(H11.send(_Writer(), "GET" if number % 2 else "HEAD", path) for number in range(count))
        peer.socket.sendall(data)
        peer.socket.shutdown(socket.SHUT_WR)
        received = b""
        while part := peer.socket.recv(65536):
            received += part
        for number in range(count):
            received = _one_answer(received, "GET" if number % 2 else "HEAD", path)
        expect("bytes after the last answer", len(received), 0)
        peer.close()
    yield "pipelining, with the sending side closed"

    for headers in ([], [("Connection", "keep-alive")]):
        peer = H11(admin)
        status, fields, body = peer.ask("GET", ROUTES, [key, lines, *headers], version="1.0")
        expect("HTTP/1.0", status, 200)
        expect("HTTP/1.0 has chunks", "transfer-encoding" in fields, False)
        expect("lines of HTTP/1.0", body.endswith(b"}\n"), True)
        peer.close()
    yield "lines to a client of HTTP/1.0"


class _Writer:
    """Serialises one request; the connection is discarded."""

    def __init__(self):
        self.connection = h11.Connection(h11.CLIENT)


def _one_answer(received, method, path):
    """Reads an answer from the start of the bytes. Returns the remaining bytes."""
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method=method, target=path, headers=[("Host", WEBSITE)]))
    connection.send(h11.EndOfMessage())
    connection.receive_data(received)
    while not isinstance(event := connection.next_event(), h11.EndOfMessage):
        if event is h11.NEED_DATA or isinstance(event, h11.ConnectionClosed):
            raise Wrong(f"{method} {path}: the answer is incomplete")
    return connection.trailing_data[0]


# --- h2 --------------------------------------------------------------------------------------------------------------


def h2_cases(service):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.set_alpn_protocols(["h2"])
    plain = socket.create_connection(("127.0.0.1", service.ports["public"]), timeout=10)
    peer = context.wrap_socket(plain, server_hostname=WEBSITE)
    connection = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
    connection.initiate_connection()
    requests = [
        ("GET", FILE, b"", "200"), ("HEAD", FILE, b"", "200"), ("GET", "/openapi.json", b"", "200"),
        ("HEAD", "/nothing", b"", "404"), ("GET", "/nothing", b"", "404"), ("PUT", "/resolve", b"{}", "405"),
        ("HEAD", "/resolve", b"", "405"), ("POST", "/resolve", LINK, "200"), ("GET", "/x#y", b"", "400"), ("HEAD", "/x#y", b"", "400"),
    ] * 5
    streams = {}
    for method, path, body, status in requests:
        stream = connection.get_next_available_stream_id()
        fields = [(":method", method), (":scheme", "https"), (":authority", WEBSITE), (":path", path)]
        connection.send_headers(stream, fields, end_stream=not body)
        if body:
            connection.send_data(stream, body, end_stream=True)
        streams[stream] = [method, path, status, None, 0, False]
    peer.sendall(connection.data_to_send())
    while not all(entry[5] for entry in streams.values()):
        data = peer.recv(65536)
        if not data:
            raise Wrong("the connection ended")
        for event in connection.receive_data(data):
            if isinstance(event, h2.events.ResponseReceived):
                streams[event.stream_id][3] = dict(event.headers)[":status"]
            elif isinstance(event, h2.events.DataReceived):
                streams[event.stream_id][4] += len(event.data)
                connection.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            elif isinstance(event, h2.events.StreamEnded):
                streams[event.stream_id][5] = True
            elif isinstance(event, (h2.events.StreamReset, h2.events.ConnectionTerminated)):
                raise Wrong(f"{event}")
        peer.sendall(connection.data_to_send())
    for method, path, status, found, size, _ in streams.values():
        expect(f"{method} {path}", found, status)
        expect(f"{method} {path} has a body", size > 0, method != "HEAD")
    peer.close()
    yield f"{len(requests)} requests at once on one connection"


# --- command line clients --------------------------------------------------------------------------------------------


def run(*command):
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    if ended.returncode:
        raise Wrong(f"{' '.join(command)}: exit {ended.returncode}: {ended.stdout[-500:]}{ended.stderr[-500:]}")
    return ended.stdout + ended.stderr


def curl_cases(service, secure):
    def curl(url, status, *options):
        said = run("curl", "--silent", "--show-error", "--verbose", "--insecure", "--max-time", "20", "--output", "/dev/null",
                   "--write-out", "%{http_code}\n", *options, url)
        expect(f"curl {' '.join(options)} {url}", re.findall(r"^\d{3}$", said, re.M)[-1], str(status))
        if "Excess found" in said:
            raise Wrong(f"curl {' '.join(options)} {url}: there were bytes after the answer")

    host = ("--header", f"Host: {WEBSITE}")
    key = ("--header", f"Authorization: Bearer {service.key}")
    public, admin, ops = (f"http://127.0.0.1:{service.ports[port]}" for port in ("public", "admin", "ops"))
    curl(public + FILE, 200, *host)
    curl(public + FILE, 200, "--head", *host)
    curl(public + FILE, 200, "--http1.0", *host)
    curl(public + "/nothing", 404, "--head", *host)
    curl(public + "/resolve", 405, "--request", "PUT", "--data", "{}")
    curl(public + "/resolve", 200, "--data", LINK.decode(), "--header", "Expect: 100-continue")
    curl(admin + ROUTES, 200, "--http1.0", *key, "--header", "Accept: application/x-ndjson")
    curl(admin + ROUTES, 200, *key, "--header", "Accept: application/x-ndjson")
    curl(admin + "/admin/v1/tenants", 405, "--head")
    curl(ops + "/livez", 200)
    curl(ops + "/nothing", 404, "--head")
    yield "11 requests in plain HTTP"
    tls = f"https://127.0.0.1:{secure.ports['public']}"
    for version in ("--http1.1", "--http2"):
        curl(tls + FILE, 200, version, *host)
        curl(tls + FILE, 200, version, "--head", *host)
        curl(tls + "/nothing", 404, version, "--head", *host)
        curl(tls + "/resolve", 200, version, "--data", LINK.decode())
    yield "8 requests under TLS"


def nghttp_cases(secure):
    base = f"https://127.0.0.1:{secure.ports['public']}"
    paths = [FILE, "/openapi.json", "/nothing"]
    for method, wanted in (("GET", ["200", "200", "404"]), ("HEAD", ["200", "405", "404"])):
        # nghttp reports a protocol error if the answer to HEAD has a body.
        for path, status in zip(paths, wanted):
            said = run("nghttp", "--null-out", "--verbose", "--no-verify-peer", f"--header=:method: {method}",
                       f"--header=host: {WEBSITE}", f"--header=:authority: {WEBSITE}", base + path)
            found = re.findall(r":status: (\d{3})", said)
            if method == "HEAD" and path == "/openapi.json":
                status = ["200", "405"]
            expect(f"nghttp {method} {path}", found[:1][0] if found else said[-300:], status)
            if "RST_STREAM" in said or "PROTOCOL_ERROR" in said:
                raise Wrong(f"nghttp {method} {path}: {said[-500:]}")
    yield "6 requests"


def node_cases(service, secure):
    said = run("node", os.path.join(HERE, "clients.js"), str(service.ports["public"]), str(service.ports["admin"]),
               str(service.ports["ops"]), service.key, str(secure.ports["public"]), WEBSITE)
    yield said.strip().replace("\n", "; ")


def certificate(folder):
    paths = os.path.join(folder, "certificate.pem"), os.path.join(folder, "key.pem")
    run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
        "-subj", f"/CN={WEBSITE}", "-out", paths[0], "-keyout", paths[1])
    os.chmod(paths[1], 0o600)
    return {"FINGERPOST_PUBLIC_TLS_CERTIFICATE": paths[0], "FINGERPOST_PUBLIC_TLS_KEY": paths[1]}


def main():
    binary, faults = os.path.abspath(sys.argv[1]), 0
    with tempfile.TemporaryDirectory() as folder:
        service, secure = Service(binary), Service(binary, **certificate(folder))
        try:
            for name, cases in {
                "h11": lambda: h11_cases(service), "h2": lambda: h2_cases(secure), "curl": lambda: curl_cases(service, secure),
                "nghttp": lambda: nghttp_cases(secure), "node": lambda: node_cases(service, secure),
            }.items():
                try:
                    for case in cases():
                        print(f"{name}: {case}", flush=True)
                # Any exception that a client raises is a finding.
                except Exception as error:
                    faults += 1
                    print(f"FAULT {name}: {type(error).__name__}: {error}", flush=True)
        finally:
            for one in (service, secure):
                if (status := one.stop()) != 0:
                    faults += 1
                    print(f"FAULT: SIGTERM ended the service with {status}")
    raise SystemExit(1 if faults else 0)


if __name__ == "__main__":
    main()
