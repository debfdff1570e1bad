"""recordings.py BINARY [--jar JAR]: records a target with one stub server and plays its folder back with the other, both
ways; without --jar, with `fingerpost stub` alone. Called by run.sh."""

import argparse
import http.server
import json
import os
import shutil
import sys
import threading

import stub_servers

#: Method, target, headers and body.
REQUESTS = [
    ("GET", "/json", (), None),
    ("GET", "/json?page=2&sort=name", (), None),
    ("GET", "/text", (), None),
    ("GET", "/umlaut", (), None),
    ("GET", "/binary.png", (), None),
    ("GET", "/large", (), None),
    ("GET", "/missing", (), None),
    ("GET", "/moved", (), None),
    ("GET", "/empty", (), None),
    ("HEAD", "/json", (), None),
    ("PUT", "/json", (("Content-Type", "application/json"),), b'{"a": 1}'),
    ("DELETE", "/json", (), None),
    ("POST", "/echo", (("Content-Type", "application/json"),), b'{"name": "one", "list": [1, 2]}'),
    ("POST", "/echo", (("Content-Type", "application/json"),), b'{"name": "two"}'),
    ("POST", "/echo", (("Content-Type", "text/plain"),), b"plain"),
    # Repeated requests with different answers become a scenario.
    ("GET", "/count", (), None), ("GET", "/count", (), None), ("GET", "/count", (), None),
]


class TargetServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    count = 0

    def handle_error(self, *_):
        # A proxy drops its connections when it stops.
        pass


class Target(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        status, kind, content, further = self.content(self.path.split("?")[0], body)
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        for name, value in further:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def content(self, path, body):
        match path:
            case "/json":
                return 200, "application/json", json.dumps({"method": self.command, "target": self.path, "n": 1.50}).encode(), ()
            case "/text":
                return 200, "text/plain; charset=utf-8", "{{not a template}} <&>\n".encode(), (("X-Own", "a"), ("X-Own", "b"))
            case "/umlaut":
                return 200, "text/plain; charset=utf-8", "grüße 🙂".encode(), ()
            case "/binary.png":
                return 200, "image/png", bytes(range(256)) * 4, ()
            case "/large":
                return 200, "text/plain", b"0123456789" * 30_000, ()
            case "/moved":
                return 302, "text/plain", b"", (("Location", "/json"),)
            case "/empty":
                return 204, "text/plain", b"", ()
            case "/echo":
                return 201, "application/json", b'{"got": %d}' % len(body), ()
            case "/count":
                self.server.count += 1
                return 200, "application/json", b'{"count": %d}' % self.server.count, ()
            case _:
                return 404, "text/plain", b"there is no such thing", ()

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = answer


def answers(server):
    found = []
    for method, target, headers, body in REQUESTS:
        status, fields, content = server.call(method, target, body, headers)
        kept = {name: fields.get_all(name) for name in ("Content-Type", "Location", "X-Own")}
        found.append((status, kept, content))
    return found


def record(recorder, target):
    """Returns what the target answered through the recording server, and the number of stubs."""
    specification = {"targetBaseUrl": target, "persist": True, "extractBodyCriteria": {"textSizeThreshold": "100 kb"}}
    recorder.admin("POST", "recordings/start", specification)
    live = answers(recorder)
    return live, len(recorder.admin("POST", "recordings/stop")["mappings"])


def exchange(recorder, player):
    """Records with the first server and plays back with the second. Returns whether all answers are the same."""
    target = TargetServer(("127.0.0.1", 0), Target)
    threading.Thread(target=target.serve_forever, daemon=True).start()
    with recorder:
        live, count = record(recorder, f"http://127.0.0.1:{target.server_address[1]}")
    target.shutdown()
    target.server_close()
    for folder in ("mappings", "__files"):
        shutil.rmtree(os.path.join(player.root, folder))
        shutil.copytree(os.path.join(recorder.root, folder), os.path.join(player.root, folder))
    with player:
        played = answers(player)
    same = True
    for request, expected, found in zip(REQUESTS, live, played):
        if expected != found:
            same = False
            print(f"  {request[0]} {request[1]}: recorded {_short(expected)}, played {_short(found)}")
    print(f"{recorder.name} recorded {count} stubs, {player.name} played {len(played)} answers: {'the same' if same else 'DIFFERENT'}")
    return same


def _short(answer):
    return f"{answer[0]} {answer[1]} {answer[2][:80]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--jar")
    options = parser.parse_args()

    def own(name):
        return stub_servers.fingerpost(options.binary, scratch.folder(name))

    def real(name):
        return stub_servers.wiremock(options.jar, scratch.folder(name))

    with stub_servers.Scratch() as scratch:
        results = [exchange(own("a"), own("b"))]
        if options.jar:
            results += [exchange(real("c"), own("d")), exchange(own("e"), real("f"))]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
