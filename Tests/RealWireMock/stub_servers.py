"""Stub servers on free loopback ports, which end with the `with` block."""

import json
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


class StubServer:
    """A context manager: a running server with its root folder. `url` has no slash at its end."""

    def __init__(self, name, command, root):
        self.name, self.root, self._command = name, root, command
        for folder in ("mappings", "__files"):
            os.makedirs(os.path.join(root, folder))
        # WireMock prints each unmatched request.
        self._log = open(root + ".log", "wb")

    def __enter__(self):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        # Fingerpost ends when its standard input does.
        self._process = subprocess.Popen(
            [*self._command, "--port", str(port), "--bind-address", "127.0.0.1", "--root-dir", self.root],
            stdin=subprocess.PIPE, stdout=self._log, stderr=self._log,
        )
        deadline = time.monotonic() + 60
        while not self._is_ready():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self.__exit__()
                with open(self._log.name, errors="replace") as log:
                    raise SystemExit(f"{self.name} did not start: {log.read()[-2000:]}")
            time.sleep(0.02)
        return self

    def _is_ready(self):
        try:
            return self.call("GET", "/__admin/mappings")[0] == 200
        except OSError:
            return False

    def call(self, method, target, body=None, headers=()):
        """Returns status, headers and body of an answer; redirects are not followed."""
        request = urllib.request.Request(self.url + target, data=body, method=method, headers=dict(headers))
        try:
            with _opener.open(request, timeout=30) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.headers, error.read()

    def admin(self, method, path, document=None):
        status, _, body = self.call(method, f"/__admin/{path}", None if document is None else json.dumps(document).encode())
        if status >= 300:
            raise SystemExit(f"{self.name} answered {method} {path} with {status}: {body.decode()[:1000]}")
        return json.loads(body) if body else None

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process.stdin.close()
        self._log.close()


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


_opener = urllib.request.build_opener(_NoRedirects)


class Scratch:
    """A context manager: an empty folder that is removed at the end."""

    def __enter__(self):
        self.path = tempfile.mkdtemp(prefix="fingerpost-stubs.")
        return self

    def folder(self, name):
        return os.path.join(self.path, name)

    def __exit__(self, *_):
        shutil.rmtree(self.path, ignore_errors=True)


def fingerpost(binary, root):
    return StubServer("fingerpost stub", [binary, "stub"], root)


def wiremock(jar, root):
    return StubServer("WireMock", ["java", "-jar", jar, "--disable-banner", "--local-response-templating"], root)
