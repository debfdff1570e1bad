"""A web page in a developer's browser calls the stub server of the same machine: by its own name, which leads to 127.0.0.1
(DNS rebinding), and from another origin. It is refused, while a client of the server's own hosts is answered."""

import json
import os
import subprocess
import tempfile
from collections import Counter

from result import Result
from wire import exchange

_CALLS = [
    ("GET", "/__admin/mappings", ""),
    ("GET", "/__admin/requests", ""),
    ("POST", "/__admin/mappings", '{"request":{"urlPattern":".*"},"response":{"proxyBaseUrl":"http://127.0.0.1:1"}}'),
    ("PUT", "/__admin/files/link.txt", "written by a page"),
    ("DELETE", "/__admin/files/kept.txt", ""),
    ("POST", "/__admin/recordings/start", '{"targetBaseUrl":"http://127.0.0.1:1"}'),
    ("POST", "/__admin/sessions", "{}"),
    ("POST", "/__admin/shutdown", ""),
]

#: The host of the target, `Host`, and `Origin`.
_PAGES = [
    ("", "evil.example", None), ("", "evil.example:{port}", "http://evil.example:{port}"), ("", "localhost.evil.example", None),
    ("http://evil.example", "localhost:{port}", None), ("", "192.0.2.1:{port}", None), ("", "localhost:{port}", "https://evil.example"),
    ("", "127.0.0.1:{port}", "null"), ("", "127.0.0.1:{port}", "http://localhost.evil.example:{port}"),
]

_CLIENTS = [("localhost:{port}", None), ("127.0.0.1:{port}", None), ("10.0.2.2:{port}", None), ("localhost", "http://localhost:3000")]


def _request(method, target, host, origin, body):
    lines = [f"{method} {target} HTTP/1.1", f"Host: {host}", "Content-Type: text/plain", f"Content-Length: {len(body)}", "Connection: close"]
    lines += [f"Origin: {origin}"] if origin else []
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


def pages(target):
    folder = tempfile.mkdtemp(dir=target.service.scratch)
    files = os.path.join(folder, "__files")
    os.makedirs(files)
    with open(os.path.join(files, "kept.txt"), "w") as file:
        file.write("kept")
    stub = subprocess.Popen([target.service.binary, "stub", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    faults, statuses = [], Counter()
    try:
        port = json.loads(stub.stdout.readline())["port"]

        def call(method, path, base, host, origin, body, wanted):
            host, origin = host.format(port=port), origin and origin.format(port=port)
            answers = exchange(("127.0.0.1", port), _request(method, base + path, host, origin, body))
            statuses.update(answers.statuses)
            if answers.statuses != [wanted]:
                faults.append(f"{method} {base}{path}, Host {host}, Origin {origin}: {answers}, not {wanted}")
            for response in answers.responses:
                if response.header("Access-Control-Allow-Origin"):
                    faults.append(f"{method} {path}: permits other origins")

        for base, host, origin in _PAGES:
            for method, path, body in _CALLS:
                call(method, path, base, host, origin, body, 403)
        for host, origin in _CLIENTS:
            call("GET", "/__admin/mappings", "", host, origin, "", 200)
        if os.listdir(files) != ["kept.txt"]:
            faults.append(f"a page changed __files: {os.listdir(files)}")
        call("PUT", "/__admin/files/link.txt", "", "localhost:{port}", None, "text", 200)
    finally:
        stub.stdin.close()
        stub.wait(30)
    answered = ", ".join(f"{status} ×{count}" for status, count in statuses.most_common())
    return Result(f"{len(_PAGES) * len(_CALLS)} calls of pages, {len(_CLIENTS) + 1} of clients", answered, faults)


ATTACKS = {"stub": pages}
