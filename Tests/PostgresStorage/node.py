"""A node as a process, for tests of several nodes with one catalog in PostgreSQL."""

import atexit
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request


def fail(message):
    print("FAILED:", message, file=sys.stderr)
    sys.exit(1)


def ask(method, url, body=None, key=None, timeout=30, headers=()):
    headers = {"Content-Type": "application/json", **dict(headers)}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(url, body.encode() if body else None, headers, method=method)
    try:
        with urllib.request.build_opener(Unredirected).open(request, timeout=timeout) as answer:
            return answer.status, parsed(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, parsed(error.read())


class Unredirected(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def parsed(body):
    try:
        return json.loads(body or b"null")
    except ValueError:
        return body


def eventually(seconds, condition):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def within(seconds, what, condition):
    if not eventually(seconds, condition):
        fail(f"not within {seconds} s: {what}")


class Node:
    """`hosts` are the folders of PostgreSQL's sockets. `launcher` is put before the server's command."""

    def __init__(self, program, scratch, name, hosts, database="nodes"):
        self.program, self.name, self.data = program, name, f"{scratch}/{name}"
        self.key, self.launcher = None, []
        self.settings = {
            "FINGERPOST_STORE_KIND": "postgresql",
            "FINGERPOST_STORE_HOSTS": ",".join(hosts),
            "FINGERPOST_STORE_DATABASE": database,
            "FINGERPOST_STORE_USER": "postgres",
            "FINGERPOST_NODE": name,
        }
        self.log = f"{scratch}/{name}.log"
        self.ports = {port: "127.0.0.1:0" for port in ("public", "admin", "ops")}

    def environment(self):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("FINGERPOST_")}
        return kept | self.settings

    def start(self):
        ports = [f"--{port}={address}" for port, address in self.ports.items()]
        command = [*self.launcher, self.program, "serve", "--data", self.data, *ports]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, env=self.environment(), stdout=subprocess.PIPE, stderr=log)
        atexit.register(self.process.kill)
        self.addresses = {}
        for line in self.process.stdout:
            words = line.decode().split()
            if len(words) == 2 and words[1].startswith("http://"):
                self.addresses[words[0]] = words[1]
            if len(self.addresses) == 3:
                break
        else:
            fail(f"{self.name} did not start but ended with {self.process.wait()}: {open(self.log).read()[-2000:]}")
        # A later start uses the same ports, which clients know.
        self.ports = {port: address.removeprefix("http://") for port, address in self.addresses.items()}
        return self

    def stop(self):
        self.process.terminate()
        if self.process.wait(60) != 0:
            fail(f"{self.name} ended with {self.process.returncode}")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def resolve(self, body):
        return ask("POST", self.addresses["public"] + "/resolve", json.dumps(body))

    def route(self, url="https://acme.example/item/7"):
        status, answer = self.resolve({"url": url})
        if status != 200:
            fail(f"{self.name} answers a link with {status}: {answer}")
        return (answer.get("route") or {}).get("id")

    def admin(self, method, path, body=None, timeout=30, headers=()):
        text = None if body is None else json.dumps(body)
        return ask(method, self.addresses["admin"] + "/admin/v1/" + path, text, self.key, timeout, headers)

    def readiness(self):
        return ask("GET", self.addresses["ops"] + "/readyz?verbose")

    def degraded(self):
        return str(self.readiness()[1].get("degraded"))

    def command(self, *words, expected=0, environment=None, seconds=300):
        if environment is None:
            environment = dict(os.environ)
            if self.key:
                environment |= {"FINGERPOST_KEY": self.key, "FINGERPOST_SERVER": self.addresses["admin"]}
        run = subprocess.run([self.program, *words], env=environment, capture_output=True, text=True, timeout=seconds)
        if run.returncode != expected:
            fail(f"{words} ended with {run.returncode}: {run.stdout}{run.stderr}")
        return run.stdout + (run.stderr if expected else "")

    def make_key(self):
        output = self.command("keys", "create", "--name", "test", "--scope", "admin", "--data", self.data)
        self.key = next(word for word in output.split() if word.startswith("fp_"))
        return self.key
