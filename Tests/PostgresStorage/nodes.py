"""Two nodes with one catalog in PostgreSQL, which stops and comes back.

nodes.py FINGERPOST SOCKET_FOLDER SCRATCH START STOP: START and STOP are commands that start and stop PostgreSQL.
Exits with 1 and says what differs. Example: see run.sh.
"""

import atexit
import json
import os
import subprocess
import sys
import time
import urllib.error
import urllib.request

PROGRAM, SOCKET, SCRATCH, START, STOP = sys.argv[1:]
TABLE = """
settings:
  domains: [acme.example]
table:
  routes:
    - {id: ROUTE, path: "/item/{id}", open: {screen: Item}}
"""


def fail(message):
    print("FAILED:", message, file=sys.stderr)
    sys.exit(1)


def ask(method, url, body=None, key=None):
    headers = {"Content-Type": "application/json"}
    if key:
        headers["Authorization"] = f"Bearer {key}"
    request = urllib.request.Request(url, body.encode() if body else None, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, json.loads(answer.read() or b"null")
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"null")


class Node:
    def __init__(self, name):
        self.name = name
        self.data = f"{SCRATCH}/{name}"
        self.start()

    def start(self):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("FINGERPOST_")}
        environment |= {
            "FINGERPOST_STORE_KIND": "postgresql",
            "FINGERPOST_STORE_HOSTS": SOCKET,
            "FINGERPOST_STORE_DATABASE": "nodes",
            "FINGERPOST_STORE_USER": "postgres",
        }
        self.log = open(f"{SCRATCH}/{self.name}.log", "ab")
        ports = [f"--{port}=127.0.0.1:0" for port in ("public", "admin", "ops")]
        self.process = subprocess.Popen(
            [PROGRAM, "serve", "--data", self.data, *ports], env=environment, stdout=subprocess.PIPE, stderr=self.log
        )
        atexit.register(self.process.kill)
        self.addresses = {}
        for line in self.process.stdout:
            words = line.decode().split()
            if len(words) == 2 and words[1].startswith("http://"):
                self.addresses[words[0]] = words[1]
            if len(self.addresses) == 3:
                return
        fail(f"{self.name} did not start: {open(self.log.name).read()[-2000:]}")

    def stop(self):
        self.process.terminate()
        if self.process.wait(60) != 0:
            fail(f"{self.name} ended with {self.process.returncode}")

    def route(self):
        status, answer = ask("POST", self.addresses["public"] + "/resolve", '{"url": "https://acme.example/item/7"}')
        if status != 200:
            fail(f"{self.name} answers a link with {status}: {answer}")
        return (answer.get("route") or {}).get("id")

    def readiness(self):
        return ask("GET", self.addresses["ops"] + "/readyz?verbose")

    def command(self, *words, key=None, expected=0):
        environment = dict(os.environ)
        if key:
            environment |= {"FINGERPOST_KEY": key, "FINGERPOST_SERVER": self.addresses["admin"]}
        run = subprocess.run([PROGRAM, *words], env=environment, capture_output=True, text=True)
        if run.returncode != expected:
            fail(f"{words} ended with {run.returncode}: {run.stdout}{run.stderr}")
        return run.stdout


def within(seconds, what, condition):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            fail(f"not within {seconds} s: {what}")
        time.sleep(0.05)


def publish(node, key, route):
    path = f"{SCRATCH}/shop.yaml"
    with open(path, "w") as file:
        file.write("formatVersion: 1\ntenant: shop" + TABLE.replace("ROUTE", route))
    node.command("apply", "-f", path, key=key)


first, second = Node("first"), Node("second")
output = first.command("keys", "create", "--name", "test", "--scope", "admin", "--data", first.data)
key = next(word for word in output.split() if word.startswith("fp_"))

# A key and a publication of one node are known on the other.
within(3, "the key is known on the other node", lambda: ask("GET", second.addresses["admin"] + "/admin/v1/tenants", key=key)[0] == 200)
publish(first, key, "one")
if first.route() != "one":
    fail("the publication is not live on its own node")
within(3, "the publication is live on the other node", lambda: second.route() == "one")
publish(second, key, "two")
within(3, "the publication is live on the first node", lambda: first.route() == "two")

# Without PostgreSQL, links are answered, changes are refused, and nodes start.
subprocess.run(STOP, shell=True, check=True)
for node in (first, second):
    if node.route() != "two":
        fail("a link has another answer without PostgreSQL")
status, answer = ask("GET", first.addresses["admin"] + "/admin/v1/tenants", key=key)
if status != 503 or answer.get("code") != "storage_unavailable":
    fail(f"the admin port answers {status} {answer} without PostgreSQL")
within(20, "the readiness is degraded", lambda: "catalog" in str(first.readiness()[1].get("degraded")))
if first.readiness()[0] != 200:
    fail("a node without PostgreSQL is not ready")
second.stop()
second.start()
if second.route() != "two":
    fail("a node that started without PostgreSQL has no table")

# A node without a copy says what is missing.
environment = dict(os.environ, FINGERPOST_STORE_KIND="postgresql", FINGERPOST_STORE_HOSTS=SOCKET)
run = subprocess.run([PROGRAM, "serve", "--data", f"{SCRATCH}/third", "--public=127.0.0.1:0", "--admin=127.0.0.1:0", "--ops=127.0.0.1:0"], env=environment, capture_output=True, text=True, timeout=60)
if run.returncode != 69 or "no copy" not in run.stderr:
    fail(f"a node without a copy ended with {run.returncode}: {run.stderr}")

# When PostgreSQL is back, both follow it again.
subprocess.run(START, shell=True, check=True)
within(20, "changes are accepted again", lambda: ask("GET", first.addresses["admin"] + "/admin/v1/tenants", key=key)[0] == 200)
publish(first, key, "three")
within(20, "the other node follows again", lambda: second.route() == "three")
within(20, "the readiness is good again", lambda: "catalog" not in str(second.readiness()[1].get("degraded")))
first.command("audit", "verify", "--data", first.data)
first.stop()

# The copy is not taken for a catalog.
run = subprocess.run([PROGRAM, "keys", "list", "--data", first.data], capture_output=True, text=True)
if run.returncode != 78 or "is a copy of the catalog" not in run.stderr:
    fail(f"a command used the copy: {run.returncode} {run.stdout}{run.stderr}")
second.stop()
print("two nodes: publications and keys arrive, links are answered without PostgreSQL, nodes start without it")
