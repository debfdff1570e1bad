"""Nodes with servers of several kinds: behind TLS and PgBouncer, with the schema of a next version, read by SQL, and with many links.

servers.py FINGERPOST POSTGRESQL_BIN SCRATCH LINKS: LINKS is how many short links a new node copies.
Exits with 1 and says what differs. Example: see run.sh.
"""

import atexit
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import urllib.request

from node import Node, ask, eventually, fail, within
from postgres import AS_POSTGRES, Server

PROGRAM, BIN, SCRATCH, LINKS = sys.argv[1:4] + [int(sys.argv[4])]
TARGET = "https://acme.example/item/7"
SETTINGS = {"domains": ["acme.example"], "privacy": {"recordQuery": ["utm_campaign"]}}
TABLE = {"routes": [
    {"id": "item", "path": "/item/{id}", "open": {"screen": "Item"}},
    {"id": "go", "path": "/s/{code}", "follow": "shortLinks"},
]}


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def publish(node, table=TABLE):
    for method, path, body in (
        ("PUT", "settings", SETTINGS), ("PUT", "draft", table), ("POST", "draft/publish", {"message": "m"}),
    ):
        status, answer = node.admin(method, f"tenants/shop/{path}", body)
        if status not in (200, 201):
            fail(f"{node.name} answered {method} {path} with {status}: {answer}")


def refusal(node, expected, reason, seconds=300):
    ports = [f"--{port}=127.0.0.1:0" for port in ("public", "admin", "ops")]
    text = node.command("serve", "--data", node.data, *ports, expected=expected, environment=node.environment(), seconds=seconds)
    if reason not in text:
        fail(f"{node.name} was refused with: {text}")


def openssl(*words):
    subprocess.run(["openssl", *words], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=SCRATCH)


def certificate(name, host):
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={host}")
    with open(f"{SCRATCH}/{name}.ext", "w") as file:
        file.write(f"subjectAltName=DNS:{host}")
    openssl("x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", f"{name}.ext",
            "-days", "2", "-out", f"{name}.pem")
    for end in ("key", "pem"):
        if AS_POSTGRES:
            shutil.chown(f"{SCRATCH}/{name}.{end}", "postgres")
        os.chmod(f"{SCRATCH}/{name}.{end}", 0o600)


for name in ("ca", "other"):
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.pem", "-subj", f"/CN={name}")
certificate("server", "localhost")
port = free_port()
tls = f"-c ssl=on -c ssl_cert_file={SCRATCH}/server.pem -c ssl_key_file={SCRATCH}/server.key -c listen_addresses=localhost"
server = Server(BIN, f"{SCRATCH}/server", tls, port, disk="12g")
server.create()
with open(f"{server.data}/pg_hba.conf", "w") as file:
    file.write("local all all trust\nhostssl all all 127.0.0.1/32 scram-sha-256\nhostssl all all ::1/128 scram-sha-256\n")
library = subprocess.run([*AS_POSTGRES, f"{BIN}/postgres", "-D", server.data, "-C", "ssl_library"], capture_output=True, text=True, cwd="/")
has_tls = library.stdout.strip() != ""
if not has_tls:
    print("SKIPPED: this PostgreSQL has no TLS.")
    server.options = ""
    with open(f"{server.data}/pg_hba.conf", "w") as file:
        file.write("local all all trust\n")
server.start()


def sql(text, database="postgres"):
    return server.sql(text, database)


# MARK: TLS, passwords and PgBouncer

sql("CREATE ROLE tls LOGIN PASSWORD 'first'")
sql("CREATE DATABASE nodes OWNER tls ENCODING 'UTF8' TEMPLATE template0")
password = f"{SCRATCH}/password"


def write_password(text):
    with open(password, "w") as file:
        file.write(text + "\n")
    os.chmod(password, 0o600)


def over_tls(name, host="localhost", port=port, ca="ca"):
    node = Node(PROGRAM, SCRATCH, name, [f"{host}:{port}"])
    node.settings |= {
        "FINGERPOST_STORE_USER": "tls",
        "FINGERPOST_STORE_PASSWORD_FILE": password,
        "FINGERPOST_STORE_CA_FILE": f"{SCRATCH}/{ca}.pem",
    }
    return node


def encrypted():
    write_password("first")
    node = over_tls("tls").start()
    node.make_key()
    publish(node)
    if node.route(TARGET) != "item":
        fail("a table that was stored over TLS is not live")
    if "t" != sql("SELECT bool_and(s.ssl) FROM pg_stat_ssl s JOIN pg_stat_activity a USING (pid) WHERE usename = 'tls'"):
        fail("a connection is not encrypted")
    refusal(over_tls("wrong-name", "127.0.0.1"), 69, "certificate")
    refusal(over_tls("wrong-authority", ca="other"), 69, "certificate")

    # A new password needs no restart: new connections read it.
    write_password("second")
    sql("ALTER ROLE tls PASSWORD 'second'")
    sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'tls'")
    within(20, "changes are accepted with the new password", lambda: node.admin("PUT", "tenants/shop/settings", SETTINGS)[0] == 200)
    os.chmod(password, 0o644)
    refusal(over_tls("open-password"), 78, "chmod 600")
    os.chmod(password, 0o600)
    key = node.key
    node.stop()

    if shutil.which("pgbouncer"):
        for mode in ("session", "transaction"):
            pooled = free_port()
            text = open("deploy/fleet/pgbouncer.ini").read()
            for before, after in (
                ("host=db1.internal port=5432 dbname=fingerpost", f"host=localhost port={port} dbname=nodes"),
                ("\nfingerpost = ", "\nnodes = "),
                ("listen_addr = 0.0.0.0", f"listen_addr = localhost\nunix_socket_dir =\npidfile = {SCRATCH}/{mode}.pid"),
                ("listen_port = 6432", f"listen_port = {pooled}"),
                # A transaction gets another session than the one before.
                ("pool_mode = session", f"pool_mode = {mode}\nserver_round_robin = 1\nmin_pool_size = 4"),
                ("/etc/pgbouncer/userlist.txt", f"{SCRATCH}/userlist.txt"),
                ("/etc/pgbouncer/key.pem", f"{SCRATCH}/server.key"),
                ("/etc/pgbouncer/certificate.pem", f"{SCRATCH}/server.pem"),
                ("/etc/pgbouncer/postgresql-ca.pem", f"{SCRATCH}/ca.pem"),
            ):
                if before not in text:
                    fail(f"deploy/fleet/pgbouncer.ini does not contain {before}")
                text = text.replace(before, after)
            with open(f"{SCRATCH}/{mode}.ini", "w") as file:
                file.write(text)
            with open(f"{SCRATCH}/userlist.txt", "w") as file:
                file.write('"tls" "second"\n')
            command = [*AS_POSTGRES, shutil.which("pgbouncer"), f"{SCRATCH}/{mode}.ini"]
            with open(f"{SCRATCH}/{mode}.log", "w") as log:
                pooler = subprocess.Popen(command, stdout=log, stderr=log)
            atexit.register(pooler.kill)

            def listens():
                with socket.socket() as client:
                    return client.connect_ex(("127.0.0.1", pooled)) == 0

            within(10, f"PgBouncer listens in {mode} mode: {open(log.name).read()}", listens)
            node = over_tls(f"pooled-{mode}", port=pooled)
            node.key = key
            if mode == "session":
                node.start()
                publish(node)
                if node.route(TARGET) != "item" or node.degraded() != "None":
                    fail(f"a node behind PgBouncer is {node.readiness()}")
                node.stop()
            else:
                # A pooler that happens to give the same session again is not noticed, which the first node may see.
                with open(node.log, "wb") as log:
                    words = ["serve", "--data", node.data, *[f"--{name}=127.0.0.1:0" for name in ("public", "admin", "ops")]]
                    run = subprocess.Popen([PROGRAM, *words], env=node.environment(), stdout=log, stderr=log)
                sessions = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'tls'"
                within(60, "PgBouncer has several sessions", lambda: int(sql(sessions)) >= 2)
                run.kill()
                run.wait()
                for attempt in range(6):
                    try:
                        refusal(over_tls(f"noticed-{attempt}", port=pooled), 78, "pool_mode = session", seconds=20)
                        break
                    except subprocess.TimeoutExpired:
                        print("the pooler gave the same session again")
                else:
                    fail("no node noticed that the pooler changes its session")
            os.kill(int(subprocess.check_output(["pgrep", "-f", f"^[^ ]*pgbouncer {SCRATCH}/{mode}.ini"]).split()[0]), signal.SIGINT)
    else:
        print("SKIPPED: PgBouncer is missing; install the package pgbouncer.")


if has_tls:
    encrypted()


# MARK: Texts

def store_of(name, is_postgres):
    node = Node(PROGRAM, SCRATCH, name, [f"{server.folder}:{port}"], name)
    if is_postgres:
        sql(f"CREATE DATABASE {name} ENCODING 'UTF8' TEMPLATE template0")
    else:
        node.settings = {}
    node.start()
    node.make_key()
    publish(node)
    return node


def outcome(node, method, path, body=None, headers=()):
    status, answer = ask(method, f"{node.addresses['admin']}/admin/v1/{path}", body, node.key, 60, headers)
    if status >= 500:
        fail(f"{node.name} answered {method} {path[:80]} {(body or '')[:80]} with {status}: {answer}")
    return status, answer.get("code") if isinstance(answer, dict) else None


nodes = [store_of("texts", True), store_of("file", False)]
TEXTS = [
    "\0", "a\0b", "\ud800", "\udfff\ud800", "'; DROP TABLE short_link; --", "' OR 1=1", "?", "?1", ":code", "$1", "$$", "E'\\\\'",
    "\u202e", "e\u0301", "é", "\U0001f600" * 20, "%00", "%_", "a/../b", "A" * 65, "", "\x7f", "\r\n", "\\", "\\x00",
    "x" * 1_000_000,
]
compared = 0
for number, text in enumerate(TEXTS):
    quoted = json.dumps(text)
    query = urllib.parse.quote(text[:3000], errors="replace")
    links = "tenants/shop/short-links"
    details = f'"title": {quoted}, "note": {quoted}, "tags": [{quoted}]'
    route = f'{{"id": "item", "path": "/item/{{id}}", "owner": {quoted}, "open": {{"screen": {quoted}}}}}'
    requests = [
        ("POST", links, f'{{"code": {quoted}, "target": "{TARGET}"}}'),
        ("POST", links, f'{{"code": "c{number}", "target": "{TARGET}", {details}}}'),
        ("POST", links, f'{{"target": {quoted}}}'),
        ("PUT", "tenants/shop/draft?draft=texts", f'{{"routes": [{route}]}}'),
        ("POST", "tenants/shop/draft/publish?draft=texts", f'{{"message": {quoted}}}'),
        ("PUT", "tenants/shop/suites/texts", f'{{"name": {quoted}}}'),
        ("POST", "keys", f'{{"name": {quoted}, "scopes": ["links:read"]}}'),
        ("GET", f"{links}?text={query}"),
        ("GET", f"{links}?tag={query}"),
        ("GET", f"{links}?cursor={query}"),
        ("GET", f"{links}/{query or 'x'}/history"),
        ("GET", f"tenants/{query or 'x'}/audit"),
    ]
    for request in requests:
        compared += 1
        answers = [outcome(node, *request) for node in nodes]
        if answers[0] != answers[1]:
            fail(f"{request[0]} {request[1][:80]} {str(request[2:])[:80]}: PostgreSQL and SQLite answer {answers}")
print(f"{compared} requests with hostile texts have the same answer from both stores")
for node in nodes:
    node.stop()


# MARK: The schema of the next version, under load

sql("CREATE DATABASE next ENCODING 'UTF8' TEMPLATE template0")
nodes = [Node(PROGRAM, SCRATCH, name, [f"{server.folder}:{port}"], "next").start() for name in ("next-a", "next-b")]
nodes[0].make_key()
nodes[1].key = nodes[0].key
within(5, "the key is known on the other node", lambda: nodes[1].admin("GET", "tenants")[0] == 200)
publish(nodes[0])
within(5, "the table is live on the other node", lambda: nodes[1].route(TARGET) == "item")
is_over, faults, answers, changes = False, [], 0, 0
up = set(nodes)


def links():
    global answers
    while not is_over:
        for node in list(up):
            try:
                status, answer = node.resolve({"url": TARGET})
            except OSError as error:
                status, answer = 0, error
            if status == 200 and answer.get("route", {}).get("id") == "item":
                answers += 1
            elif node in up:
                faults.append(f"{node.name} answered a link with {status}: {answer}")


def editor(number):
    global changes
    while not is_over:
        changes += 1
        node = nodes[changes % 2]
        if node not in up:
            continue
        body = {"code": f"e{number}-{changes}", "target": TARGET}
        try:
            status, answer = node.admin("POST", "tenants/shop/short-links", body)
        except OSError as error:
            status, answer = 0, error
        if status != 201 and node in up:
            faults.append(f"{node.name} answered a new link with {status}: {answer}")
        status, answer = node.admin("PUT", f"tenants/shop/draft?draft=d{number}", TABLE) if node in up else (200, None)
        if status not in (200, 201) and node in up:
            faults.append(f"{node.name} answered a draft with {status}: {answer}")


def client(work, *words):
    thread = threading.Thread(target=work, args=words, daemon=True)
    thread.start()
    return thread


clients = [client(links) for _ in range(4)] + [client(editor, number) for number in range(2)]
time.sleep(1)
# As the migrator does it: each lock is waited for briefly, and everything is tried again.
for attempt in range(30):
    try:
        sql(
            "BEGIN; SET LOCAL lock_timeout = '500ms'; ALTER TABLE tenant ADD COLUMN later TEXT;"
            "ALTER TABLE draft ADD COLUMN later TEXT DEFAULT 'x'; ALTER TABLE short_link ADD COLUMN later BIGINT NOT NULL DEFAULT 7;"
            "ALTER TABLE audit ADD COLUMN later TEXT; CREATE TABLE later (id BIGINT PRIMARY KEY);"
            "UPDATE fingerpost_schema SET version = version + 1; COMMIT",
            "next",
        )
        break
    except RuntimeError as error:
        if "lock timeout" not in str(error) or attempt == 29:
            raise
        time.sleep(random.uniform(0.1, 0.5))
time.sleep(1)
# This version starts on it, one node after the other.
for node in nodes:
    up.discard(node)
    time.sleep(0.5)
    node.stop()
    node.start()
    up.add(node)
time.sleep(1)
is_over = True
for thread in clients:
    thread.join(60)
if faults:
    fail(f"{len(faults)} faults on the next version's schema, such as {faults[:3]}")
if answers < 100 or changes < 20:
    fail(f"there was no load: {answers} links, {changes} changes")
nodes[0].command("audit", "verify", "--data", nodes[0].data)
print(f"a next version's migration under load: {answers} links and {changes} changes without a fault")

# A version that the next schema has left behind is refused.
nodes[1].stop()
sql("UPDATE fingerpost_schema SET oldest = version", "next")
refusal(nodes[1], 78, "start a newer version")
nodes[0].stop()


# MARK: People's own SQL gives what the analytics of all nodes answer

sql("CREATE DATABASE analytics ENCODING 'UTF8' TEMPLATE template0")
nodes = [Node(PROGRAM, SCRATCH, name, [f"{server.folder}:{port}"], "analytics").start() for name in ("own-a", "own-b")]
nodes[0].make_key()
nodes[1].key = nodes[0].key
within(5, "the key is known on the other node", lambda: nodes[1].admin("GET", "tenants")[0] == 200)
publish(nodes[0], {"routes": TABLE["routes"] + [{"id": "sale", "path": "/sale/{id}", "open": {"screen": "Sale"}}]})
within(5, "the table is live on the other node", lambda: nodes[1].route(TARGET) == "item")
for code in ("spring", "autumn"):
    nodes[0].admin("POST", "tenants/shop/short-links", {"code": code, "target": TARGET})
within(5, "the links are on the other node", lambda: nodes[1].route("https://acme.example/s/autumn") == "item")
chance = random.Random(1)
for _ in range(300):
    path = chance.choice(["item/7", "sale/8", "nothing/9/x", "s/spring", "s/spring", "s/autumn", "a/../../b", "lost"])
    body = {"url": f"https://acme.example/{path}?utm_campaign={chance.choice(['may', 'june', 'july'])}"}
    if chance.random() < 0.5:
        body["context"] = {"platform": chance.choice(["ios", "android"])}
    if chance.random() < 0.1:
        body["purpose"] = "test"
    chance.choice(nodes).resolve(body)


def shipped(node):
    with urllib.request.urlopen(node.addresses["ops"] + "/metrics") as answer:
        return re.search(r"^fingerpost_log_unshipped_rows 0(\.0)?$", answer.read().decode(), re.MULTILINE)


def texts(row):
    return ["" if value is None else str(value) for value in row]


def answered(request):
    """The rows that an answer of the API stands for."""
    answer = nodes[1].admin("GET", f"tenants/shop/{request}")[1]
    names = {"stats/top/utmCampaign": ("top", "value"), "stats/top/platform": ("top", "value"), "stats/unmatched": ("links", "path"),
             "stats/rejected": ("reasons", "reason"), "stats/short-links": ("links", "code")}
    if request.startswith("events"):
        return [[event["node"], event["seq"], event["path"]] for event in answer["events"]]
    if request.startswith("stats/series"):
        return [[day, count] for day, count in zip(answer["days"], answer["series"][0]["counts"]) if count]
    if request in names:
        return [[item[names[request][1]], item.get("count", item.get("clicks"))] for item in answer[names[request][0]]]
    columns = urllib.parse.parse_qs(request.split("?")[1])["by"][0].split(",")
    return [[group.get(column) for column in columns] + [group["count"]] for group in answer["totals"]]


within(20, "everything is shipped", lambda: all(shipped(node) for node in nodes))
blocks = re.findall(r"```sql\n(.*?)```", open("docs/analytics.md").read(), re.DOTALL)
queries = [query for block in blocks for query in block.split(";") if query.strip()]
for query in queries:
    request = re.search(r"-- (\S+)", query).group(1)
    rows = [line.split("|") for line in server.sql(query, "analytics").splitlines()]
    expected = [texts(row) for row in answered(request)]
    if sorted(rows) != sorted(expected) or not rows:
        fail(f"{request}: SQL gives {rows[:5]}, the API {expected[:5]}")
if len(queries) != 10:
    fail(f"docs/analytics.md has {len(queries)} queries")
status, answer = nodes[0].admin("GET", "tenants/shop/events")
if status != 200 or [node["node"] for node in answer["nodes"]] != ["own-a", "own-b"] or {event["node"] for event in answer["events"]} != {"own-a", "own-b"}:
    fail(f"the events of all nodes were answered with {status}: {str(answer)[:300]}")

# The dashboard's queries run.
dashboard = open("deploy/grafana/events.json").read()
for text in [target["rawSql"] for panel in json.loads(dashboard)["panels"] for target in panel["targets"]]:
    text = text.replace("$tenant", "shop").replace("$__timeFrom()", "(now() - interval '30 days')").replace("$__timeTo()", "now()")
    if not server.sql(text, "analytics"):
        fail(f"a query of the dashboard finds nothing: {text}")

# A user for that reads the views and nothing else.
roles = ["psql", "-q", "-h", server.folder, "-p", str(port), "-U", "postgres", "-v", "ON_ERROR_STOP=1"]
subprocess.run([*roles, "-v", "database=reading", "-f", "deploy/fleet/roles.sql", "postgres"], check=True, stdout=subprocess.DEVNULL)
owner = Node(PROGRAM, SCRATCH, "owner", [f"{server.folder}:{port}"], "reading")
owner.settings["FINGERPOST_STORE_USER"] = "fingerpost_owner"
owner.command("fleet", "prepare", environment=owner.environment())
reading = ["psql", "-At", "-h", server.folder, "-p", str(port), "-U", "fingerpost_reader", "reading", "-c"]
run = subprocess.run([*reading, "SELECT count(*) FROM fingerpost.events"], capture_output=True, text=True)
if run.stdout != "0\n":
    fail(f"the reader cannot read events: {run.stderr}")
for table in ("public.api_key", "public.event"):
    if "permission denied" not in subprocess.run([*reading, f"SELECT * FROM {table}"], capture_output=True, text=True).stderr:
        fail(f"the reader can read {table}")
print(f"{len(queries)} queries give what the API answers")

# What a node that is gone had not exported is exported from PostgreSQL.
status, manifest = nodes[1].admin("POST", "tenants/shop/exports")
if status != 201 or manifest.get("node") != "own-b":
    fail(f"an export was answered with {status}: {manifest}")
edge = manifest["window"]["lastSeq"]
within(20, "the end of the export is in PostgreSQL", lambda: server.sql("SELECT edge FROM shipped_export", "analytics") == str(edge))
for _ in range(10):
    nodes[1].resolve({"url": TARGET})
within(20, "everything is shipped", lambda: shipped(nodes[1]))
nodes[1].kill()
environment = nodes[1].environment() | {"FINGERPOST_EXPORTS_DIRECTORY": f"{nodes[1].data}/service/exports"}
text = nodes[1].command("fleet", "forget", "own-b", "--export", environment=environment)
if ": 10 rows\n" not in text:
    fail(f"the rest of a node was exported with: {text}")
sql("INSERT INTO node (name, seen_at, version, catalog, links, last_seq) VALUES ('own-b', 0, '', 0, 0, 0)", "analytics")
text = nodes[1].command("fleet", "forget", "own-b", "--export", environment=environment)
if ": 10 rows, was there\n" not in text:
    fail(f"the rest of a node was exported a second time with: {text}")
nodes[0].stop()


# MARK: Many links for a new node

sql("CREATE DATABASE many ENCODING 'UTF8' TEMPLATE template0")
first = Node(PROGRAM, SCRATCH, "many-a", [f"{server.folder}:{port}"], "many").start()
first.make_key()
publish(first)
status, answer = first.admin("POST", "tenants/shop/short-links", {"code": "first", "target": TARGET})
if status != 201:
    fail(f"a link was answered with {status}: {answer}")
PART = 50_000
for begin in range(0, LINKS, PART):
    end = min(begin + PART, LINKS)
    subprocess.run(
        ["psql", "-q", "-h", server.folder, "-p", str(port), "-U", "postgres", "-v", "ON_ERROR_STOP=1", "many"], check=True, text=True,
        input="BEGIN; SELECT 1 FROM audit_head FOR UPDATE; INSERT INTO short_link (tenant, code, content, expires, status, block_reason,"
        " created_at, updated_at, actor_kind, actor_id, actor_name, version, install, from_app, reuse)"
        " SELECT tenant, 'n' || n, content, expires, status, block_reason, created_at, updated_at, actor_kind, actor_id, actor_name,"
        f" version, install, from_app, n FROM short_link, generate_series({begin}, {end - 1}) n WHERE code = 'first';"
        " INSERT INTO link_commit (number, id, at) SELECT max(change), gen_random_uuid(), 1000 * extract(epoch FROM now())"
        " FROM short_link; COMMIT;",
        stdout=subprocess.DEVNULL,
    )
second = Node(PROGRAM, SCRATCH, "many-b", [f"{server.folder}:{port}"], "many")
second.key = first.key
began = time.monotonic()
# It copies before it opens its ports.
words = ["serve", "--data", second.data, *[f"--{name}=127.0.0.1:0" for name in ("public", "admin", "ops")]]
killed = subprocess.Popen([PROGRAM, *words], env=second.environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
time.sleep(0.5 + LINKS / 500_000)
killed.kill()
killed.wait()
second.start()
last = f"https://acme.example/s/n{LINKS - 1}"
within(60 + LINKS / 5_000, "the last link is on a new node", lambda: second.route(last) == "item")
print(f"{LINKS} links are on a new node after {time.monotonic() - began:.1f} s; it was killed once")
for node in (first, second):
    node.stop()
server.remove()
