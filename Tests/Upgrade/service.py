"""A service on a data directory, with its clock set by libfaketime, and requests to its ports."""

import glob
import http.client
import json
import os
import signal
import subprocess
import tempfile

LIBRARY = next(iter(glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")), None)


def launcher(clock):
    """Starts a program whose clock starts at a time, such as 2026-11-02 10:00:00 in UTC; None: the real time."""
    if not clock:
        return []
    # The library takes effect with the second `exec`.
    return ["env", "LD_PRELOAD=" + LIBRARY, "FAKETIME=@" + clock, "DONT_FAKE_MONOTONIC=1", "env"]


def environment():
    return {name: value for name, value in os.environ.items() if not name.startswith("FINGERPOST_")} | {"TZ": "UTC"}


def run(program, *words, clock=None, input=None, status=0):
    """Runs a command and returns its output."""
    done = subprocess.run([*launcher(clock), program, *words], env=environment(), input=input, capture_output=True, text=True)
    if done.returncode != status:
        raise SystemExit(f"'fingerpost {' '.join(words)}' ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode()


class Service:
    def __init__(self, program, data, clock=None, key=None, settings=None):
        self.program, self.data, self.clock, self.key = program, data, clock, key
        self.log = tempfile.TemporaryFile("w+")
        variables = environment() | (settings or {})
        words = [word for port in ["public", "admin", "ops"] for word in ["--" + port, "127.0.0.1:0"]]
        self.process = subprocess.Popen(
            [*launcher(clock), program, "serve", "--data", data, *words], env=variables, stdout=subprocess.PIPE, stderr=self.log, text=True
        )
        self.ports = {}
        for line in self.process.stdout:
            port, address = line.split()
            self.ports[port] = address.removeprefix("http://")
            if len(self.ports) == 3:
                return
        raise SystemExit(f"the service did not start: {self.output()}")

    def output(self):
        self.log.seek(0)
        return self.log.read()

    def ask(self, port, method, path, body=None, host=None, **headers):
        """Sends a request; a header's name has _ for -. A body that is no text is sent as JSON."""
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body)
            headers.setdefault("Content_Type", "application/json")
        connection = http.client.HTTPConnection(self.ports[port], timeout=60)
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        if host:
            fields["Host"] = host
        connection.request(method, path, body.encode() if isinstance(body, str) else body, fields)
        response = connection.getresponse()
        answer = Answer(response.status, response.headers, response.read())
        connection.close()
        return answer

    def admin(self, method, path, body=None, status=None, **headers):
        answer = self.ask("admin", method, "/admin/v1" + path, body, Authorization="Bearer " + self.key, **headers)
        if status and answer.status != status:
            raise SystemExit(f"{method} {path}: {answer.status} instead of {status}: {answer.text}")
        return answer

    def resolve(self, **body):
        return self.ask("public", "POST", "/resolve", body)

    def command(self, *words, input=None, status=0):
        """Runs a command that talks to the admin port, or to the public one."""
        port = "public" if words[0] == "resolve" else "admin"
        return run(
            self.program, *words, "--server", "http://" + self.ports[port], *(["--key", self.key] if port == "admin" else []),
            clock=self.clock, input=input, status=status,
        )

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        status = self.process.wait(60)
        if status != (0 if how == signal.SIGTERM else -how):
            raise SystemExit(f"the service ended with {status}: {self.output()}")
        self.process.stdout.close()
