"""Two nodes with one catalog in PostgreSQL, which stops and comes back.

nodes.py FINGERPOST SOCKET_FOLDER SCRATCH START STOP KILLS: START and STOP are commands that start and stop PostgreSQL, KILLS is how often a
move is killed.
Exits with 1 and says what differs. Example: see run.sh.
"""

import atexit
import concurrent.futures
import glob
import json
import os
import random
import shutil
import subprocess
import sys
import threading

from node import Node, fail, within

PROGRAM, SOCKET, SCRATCH, START, STOP = sys.argv[1:6]
KILLS = int(sys.argv[6])
TABLE = """
formatVersion: 1
tenant: shop
settings:
  domains: [acme.example]
  apps: [{id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme.app}]
table:
  routes:
    - {id: ROUTE, path: "/item/{id}", open: {screen: Item}}
    - {id: account, path: "/account/{id}", signIn: required, open: {screen: Account}}
    - {id: go, path: "/s/{code}", follow: shortLinks}
"""

LINK = "https://acme.example/item/7"
SHORT = "https://acme.example/s/spring"


def make(name, database="nodes"):
    return Node(PROGRAM, SCRATCH, name, [SOCKET], database)


def publish(node, route):
    path = f"{SCRATCH}/shop.yaml"
    with open(path, "w") as file:
        file.write(TABLE.replace("ROUTE", route))
    node.command("apply", "-f", path)


first, second = make("first").start(), make("second").start()
second.key = first.make_key()

# A key and a publication of one node are known on the other.
within(3, "the key is known on the other node", lambda: second.admin("GET", "tenants")[0] == 200)
publish(first, "one")
if first.route() != "one":
    fail("the publication is not live on its own node")
within(3, "the publication is live on the other node", lambda: second.route() == "one")
publish(second, "two")
within(3, "the publication is live on the first node", lambda: first.route() == "two")

# A short link and a sign-in of one node are followed on the other, and a request is made once.
status, made = first.admin("POST", "tenants/shop/short-links", {"code": "spring", "target": "https://acme.example/item/7"})
if status != 201:
    fail(f"a short link was answered with {status}: {made}")
if first.route(SHORT) != "two":
    fail("a new short link does not work on its own node")
within(3, "a short link works on the other node", lambda: second.route(SHORT) == "two")
status, answer = second.admin("POST", "tenants/shop/short-links", {"code": "spring", "target": "https://acme.example/item/8"})
if status != 409 or answer.get("code") != "code_taken":
    fail(f"a taken code was answered with {status}: {answer}")


def sign_in(number):
    """A link that needs a session, begun on one node and continued on the other."""
    app = {"app": "ios", "platform": "ios", "installed": True}
    nodes = (first, second) if number % 2 else (second, first)
    status, answer = nodes[0].resolve({"url": f"https://acme.example/account/{number}", "context": app})
    token = (answer.get("continuation") or {}).get("token") if status == 200 else None
    if not token:
        return f"{status} {answer}"
    status, answer = nodes[1].resolve({"continuation": token, "context": app | {"authenticated": True}})
    return "" if status == 200 and answer["route"]["id"] == "account" else f"{status} {answer}"


with concurrent.futures.ThreadPoolExecutor(64) as clients:
    wrong = [answer for answer in clients.map(sign_in, range(256)) if answer]
if wrong:
    fail(f"{len(wrong)} sign-ins were not continued on the other node, such as {wrong[0]}")

once = {"Idempotency-Key": "a"}
requests = [(node, {"code": f"once{n}", "target": "https://acme.example/item/9"}) for n, node in enumerate([first, second] * 8)]
with concurrent.futures.ThreadPoolExecutor(16) as clients:
    answers = list(
        clients.map(lambda it: it[0].admin("POST", "tenants/shop/short-links", requests[0][1], headers=once), requests)
    )
statuses = {status for status, _ in answers}
if not statuses <= {201, 409} or 201 not in statuses or any(
    answer.get("code") == "code_taken" for status, answer in answers if status == 409
):
    fail(f"a repeated request was made twice: {answers}")

# The fleet is listed.
listed = first.command("fleet", "status", environment=first.environment())
if "first" not in listed or "second" not in listed:
    fail(f"a node is not listed: {listed}")

# Behind HAProxy, no request fails while a node is stopped, killed, and comes back, except one that a killed node has in its hands.
if shutil.which("haproxy"):
    text = open("deploy/fleet/haproxy.cfg").read().replace("bind :443 ssl crt /etc/ssl/fingerpost/ alpn h2,http/1.1", f"bind unix@{SCRATCH}/haproxy.sock mode 777")
    text = text.replace("maxconn 20000", "maxconn 1000")
    for number, node in enumerate((first, second), 1):
        text = text.replace(f"server links-{number} links-{number}:8080", f"server links-{number} {node.ports['public']} port {node.ports['ops'].split(':')[1]}")
    with open(f"{SCRATCH}/haproxy.cfg", "w") as file:
        file.write(text)
    proxy = subprocess.Popen(["haproxy", "-f", file.name], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    atexit.register(proxy.kill)

    def through():
        command = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket", f"{SCRATCH}/haproxy.sock"]
        body = ["-d", '{"url": "https://acme.example/item/7"}', "http://links/resolve"]
        return subprocess.run(command + body, capture_output=True, text=True).stdout

    within(20, "HAProxy passes requests on", lambda: through() == "200")
    for end, lost in ((second.stop, 0), (second.kill, 1)):
        timer = threading.Timer(0.3, end)
        timer.start()
        answers = [through() for _ in range(150)]
        timer.join()
        second.start()
        answers += [through() for _ in range(50)]
        failed = [answer for answer in answers if answer != "200"]
        if len(failed) > lost:
            fail(f"HAProxy answered {failed} to {len(answers)} requests while a node was gone")
    proxy.kill()

# Without PostgreSQL, links are answered, changes are refused, and nodes start.
subprocess.run(STOP, shell=True, check=True)
for node in (first, second):
    if node.route() != "two" or node.route(SHORT) != "two":
        fail("a link has another answer without PostgreSQL")
status, answer = first.admin("GET", "tenants")
if status != 503 or answer.get("code") != "storage_unavailable":
    fail(f"the admin port answers {status} {answer} without PostgreSQL")
within(20, "the readiness is degraded", lambda: "catalog" in first.degraded())
if first.readiness()[0] != 200:
    fail("a node without PostgreSQL is not ready")
second.stop()
second.start()
if second.route() != "two":
    fail("a node that started without PostgreSQL has no table")

# A new node starts with the catalog of another one's backup.
first.command("backup", f"{SCRATCH}/backup", "--data", first.data)
third = make("third")
first.command("restore", f"{SCRATCH}/backup", "--data", third.data, "--catalog-only")
third.start()
if third.route() != "two" or third.route(SHORT) != "two":
    fail("a node with a restored catalog has other answers")
third.stop()
old = json.load(open(f"{SCRATCH}/backup/backup.json")) | {"createdAt": "2026-01-01T00:00:00.000Z"}
json.dump(old, open(f"{SCRATCH}/backup/backup.json", "w"))
refused = first.command("restore", f"{SCRATCH}/backup", "--data", f"{SCRATCH}/old", "--catalog-only", expected=1)
if "--allow-old" not in refused:
    fail(f"an old catalog was refused with: {refused}")
first.command("restore", f"{SCRATCH}/backup", "--data", f"{SCRATCH}/old", "--catalog-only", "--allow-old")

# A node without a copy says what is missing.
environment = dict(os.environ, FINGERPOST_STORE_KIND="postgresql", FINGERPOST_STORE_HOSTS=SOCKET)
run = subprocess.run([PROGRAM, "serve", "--data", f"{SCRATCH}/fourth", "--public=127.0.0.1:0", "--admin=127.0.0.1:0", "--ops=127.0.0.1:0"], env=environment, capture_output=True, text=True, timeout=60)
if run.returncode != 69 or "no copy" not in run.stderr:
    fail(f"a node without a copy ended with {run.returncode}: {run.stderr}")

# When PostgreSQL is back, both follow it again.
subprocess.run(START, shell=True, check=True)
within(20, "changes are accepted again", lambda: first.admin("GET", "tenants")[0] == 200)
publish(first, "three")
within(20, "the other node follows again", lambda: second.route() == "three")
within(20, "the readiness is good again", lambda: "catalog" not in second.degraded())
first.command("audit", "verify", "--data", first.data)
first.stop()

# The copy is not taken for a catalog.
run = subprocess.run([PROGRAM, "keys", "list", "--data", first.data], capture_output=True, text=True)
if run.returncode != 78 or "is a copy of the catalog" not in run.stderr:
    fail(f"a command used the copy: {run.returncode} {run.stdout}{run.stderr}")
second.stop()

# Moved to one process, which answers as the nodes did, and back to an empty database.
first.command("store", "copy", "--from", "postgresql", "--to", f"{SCRATCH}/one", environment=first.environment())
one = make("one")
one.settings = {}
one.start()
one.key = first.key
if one.route() != "three" or one.route(SHORT) != "three" or one.admin("GET", "tenants")[0] != 200:
    fail("a moved catalog has other answers")
one.command("audit", "verify", "--data", one.data)
with open(f"{SCRATCH}/links.csv", "w") as file:
    file.write("code,target\n" + "".join(f"n{n},https://acme.example/item/{n}\n" for n in range(10_000)))
one.command("links", "import", "shop", f"{SCRATCH}/links.csv")
one.stop()
subprocess.run(["createdb", "-h", SOCKET, "-U", "postgres", "-E", "UTF8", "-T", "template0", "moved"], check=True)
moved = make("moved", "moved")
killed = 0
for seed in range(KILLS):
    copy = subprocess.Popen([PROGRAM, "store", "copy", "--from", one.data, "--to", "postgresql"], env=moved.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        copy.wait(random.Random(seed).uniform(0, 0.5))
        break
    except subprocess.TimeoutExpired:
        copy.kill()
        copy.wait()
        killed += 1
else:
    first.command("store", "copy", "--from", one.data, "--to", "postgresql", environment=moved.environment())
moved.start()
if any(moved.route(link) != "three" for link in (LINK, SHORT, "https://acme.example/s/n9999")):
    fail("a catalog that was moved back has other answers")
moved.stop()

# The old data directory is used by a node when its own catalog was moved away, and refused before.
one.settings = moved.settings | {"FINGERPOST_NODE": "one"}
words = ["serve", "--data", one.data, *[f"--{port}=127.0.0.1:0" for port in ("public", "admin", "ops")]]
refused = one.command(*words, expected=78, environment=one.environment())
if "has a catalog of its own" not in refused:
    fail(f"a directory with its own catalog was refused with: {refused}")
for file in glob.glob(f"{one.data}/service/*.db*"):
    os.rename(file, f"{SCRATCH}/{os.path.basename(file)}")
one.start()
if one.route() != "three" or one.route(SHORT) != "three":
    fail("the old data directory has other answers as a node's")
one.stop()
for file in glob.glob(f"{one.data}/service/*.db*"):
    os.remove(file)
for file in glob.glob(f"{SCRATCH}/*.db*"):
    os.rename(file, f"{one.data}/service/{os.path.basename(file)}")
refused = first.command("store", "copy", "--from", one.data, "--to", "postgresql", expected=1, environment=moved.environment())
if "is not empty" not in refused:
    fail(f"a second copy was refused with: {refused}")

# A user with the rights of deploy/fleet/roles.sql serves, and a missing right is named.
roles = ["psql", "-q", "-h", SOCKET, "-U", "postgres", "-v", "ON_ERROR_STOP=1"]
subprocess.run([*roles, "-v", "database=roles", "-f", "deploy/fleet/roles.sql", "postgres"], check=True)
limited = make("limited", "roles")
owner = limited.environment() | {"FINGERPOST_STORE_USER": "fingerpost_owner"}
limited.settings["FINGERPOST_STORE_USER"] = "fingerpost"


def refusal():
    words = ["serve", "--data", limited.data, "--public=127.0.0.1:0", "--admin=127.0.0.1:0", "--ops=127.0.0.1:0"]
    return limited.command(*words, expected=78, environment=limited.environment())


if "fleet prepare" not in (refused := refusal()):
    fail(f"a user who may not create tables was told: {refused}")
limited.command("fleet", "prepare", environment=owner)
limited.start()
limited.make_key()
publish(limited, "limited")
limited.stop()
subprocess.run([*roles, "-c", "REVOKE DELETE ON draft FROM fingerpost", "roles"], check=True)
if "DELETE ON draft" not in (refused := refusal()):
    fail(f"a user who lacks a right was told: {refused}")
print(f"moved there and back, {killed} copies were killed")
print("two nodes: publications and keys arrive, links are answered without PostgreSQL, nodes start without it")
