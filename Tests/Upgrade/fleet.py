#!/usr/bin/env python3
"""Two nodes with their catalog in PostgreSQL: makes what each later version must open, and opens it.

    fleet.py PROGRAM POSTGRESQL_BIN FOLDER [--make]

FOLDER has fleet.tar.gz, with a dump of the database and the data directories of the nodes, and fleet-answers.json.gz. --make writes
both. Needs root or the user postgres, as Tests/PostgresStorage.
"""

import datetime
import gzip
import json
import os
import subprocess
import sys
import tarfile
import tempfile

import check
from check import Answers, compare, sorted_counts, without
from make import CONTEXTS, EXAMPLES, HERE, LINKS, owned, report
from service import Service

sys.path.insert(0, HERE + "/../PostgresStorage")
from node import Node, within  # noqa: E402
from postgres import Server  # noqa: E402

# Tables without a row, and why.
EMPTY = {
    "copy_of": "only during a copy from a data directory",
    "ended_key": "its keys ended 30 days before; the directory of one node has such a row",
    "shipping_gap": "only after a loss of rows",
}


class FleetNode(Service):
    """A node, with the requests of a service on its ports."""

    def __init__(self, program, scratch, name, server):
        self.node = Node(program, scratch, name, [f"{server.folder}:{server.port}"], "fleet")
        self.node.settings["FINGERPOST_STORE_ADDRESS_KEY_FILE"] = scratch + "/test-address-key"
        self.node.start()
        self.program, self.data, self.clock = program, self.node.data, None
        self.ports = {port: address.removeprefix("http://") for port, address in self.node.addresses.items()}
        path = scratch + "/test-key"
        if not os.path.exists(path):
            with open(path, "w") as file:
                file.write(self.node.make_key())
        with open(path) as file:
            self.key = file.read()

    def stop(self):
        self.node.stop()


def sql(server, text):
    return server.sql(text, "fleet")


def make(program, server, scratch, folder):
    os.mkdir(scratch)
    with open(scratch + "/test-address-key", "w") as file:
        os.chmod(file.fileno(), 0o600)
        file.write("the address key of the kept fleet, for tests")
    server.sql("CREATE DATABASE fleet ENCODING 'UTF8' TEMPLATE template0")
    nodes = [FleetNode(program, scratch, name, server) for name in "ab"]
    a, b = nodes
    a.command("apply", "-f", f"{HERE}/acme.yaml", "--suite", f"{HERE}/acme.suite.yaml", "--message", "First table")
    with open(f"{EXAMPLES}/taxi.yaml") as file:
        a.command("apply", "-f", "-", input=file.read().replace("settings:\n", "settings:\n  retentionDays: 36500\n", 1))
    a.command("links", "create", "acme", "https://www.acme.test/item/7", "--code", "spring", "--tag", "mail", "--utm-source", "newsletter")
    within(10, "b has the table of a", lambda: b.resolve(url="acme://item/7").json["outcome"] == "matched")
    b.command("links", "create", "acme", "https://www.acme.test/item/8", "--code", "Second")
    b.command("links", "edit", "acme", "spring", "--title", "Changed")
    within(10, "b answers the link of a", lambda: b.resolve(url="https://go.acme.test/s/spring").json["outcome"] == "matched")
    for node in nodes:
        for context in CONTEXTS:
            for link in LINKS:
                node.resolve(url=link, context=context)
    report(a, 2)
    a.admin("POST", "/tenants/acme/exports", status=201)
    b.admin("POST", "/tenants/acme/erasures", {"stickyKey": "install-3"}, 201)
    within(60, "both nodes have erased", lambda: erasures(a)[0].get("finishedAt"))
    b.admin("PUT", "/tenants/acme/draft/routes/help", {"path": "/help", "open": {"screen": "Help"}}, 201)
    b.admin("POST", "/tenants/acme/short-links", {"target": "https://www.acme.test/item/11"}, 201,
            Idempotency_Key="5f0c7e1a-0000-4000-8000-000000000001")
    a.command("console", "open")
    for node in nodes:
        node.stop()
    # An operator once accepted a history. The command asks for a store that lost changes.
    sql(server, "INSERT INTO accepted_history (number, id) VALUES (1, '2026-11-01T00:00:00.000Z kept fleet')")
    with open(scratch + "/fleet.sql", "w") as file:
        subprocess.run(
            [server.bin + "/pg_dump", "-h", server.folder, "-p", str(server.port), "-U", "postgres", "--no-owner", "--no-privileges", "fleet"],
            check=True, stdout=file,
        )
    with tarfile.open(folder + "/fleet.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
        for name in ["fleet.sql", "a", "b", "test-key", "test-address-key"]:
            archive.add(f"{scratch}/{name}", name, filter=owned)
    server.sql("DROP DATABASE fleet")


def erasures(node):
    return node.admin("GET", "/tenants/acme/erasures", status=200).json["erasures"]


def empty_tables(server):
    tables = sql(server, "SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE 'event_2%'").split()
    return [table for table in tables if table not in EMPTY and sql(server, f'SELECT EXISTS (SELECT 1 FROM "{table}")') == "f"]


def answers_of(node, until):
    answers = Answers()
    check.TENANTS[:] = ["acme", "taxi"]
    answers.catalog(node)
    answers.links(node, lasting=True)
    day = datetime.date.fromisoformat(until[:10])
    for query in ["totals?by=route,revision,outcome,action", "series?interval=hour&by=outcome", "top/utmSource?", "top/country?"]:
        answer = node.admin("GET", f"/tenants/acme/stats/{query}&from={day}&until={day + datetime.timedelta(1)}").json
        answers.add(query, without(sorted_counts(answer), "nodes"))
    rows, after = [], "0"
    while page := node.admin("GET", f"/tenants/acme/events?limit=1000&after={after}", status=200).json:
        rows += [row for row in page["events"] if row["recordedAt"] <= until]
        if not page["events"]:
            break
        after = page["nextAfter"]
    answers.add("events", sorted(rows, key=lambda row: row["id"]))
    answers.add("erasures", erasures(node))
    for link in LINKS:
        answer = node.resolve(url=link, context=CONTEXTS[0], purpose="test").json
        answers.add(link, without(answer, "id", "continuation", "requestId"))
    return answers


def open_copy(server, folder, scratch):
    with tarfile.open(folder + "/fleet.tar.gz") as archive:
        archive.extractall(scratch, filter="data")
    server.sql("CREATE DATABASE fleet ENCODING 'UTF8' TEMPLATE template0")
    with open(scratch + "/fleet.sql") as file:
        subprocess.run(
            ["psql", "-q", "-v", "ON_ERROR_STOP=1", "-h", server.folder, "-p", str(server.port), "-U", "postgres", "fleet"],
            check=True, stdin=file, stdout=subprocess.DEVNULL,
        )


def main(program, bin, folder, option=None):
    with tempfile.TemporaryDirectory() as scratch:
        os.chmod(scratch, 0o711)
        server = Server(bin, scratch + "/server").create().start()
        try:
            if option == "--make":
                make(program, server, scratch + "/nodes", folder)
            compare_all(program, server, scratch + "/copies", folder, option)
        finally:
            server.remove()


def compare_all(program, server, scratch, folder, option):
    stored = folder + "/fleet-answers.json.gz"
    os.mkdir(scratch)
    open_copy(server, folder, scratch)
    if empty := empty_tables(server):
        raise SystemExit(f"the kept fleet has no row of {', '.join(empty)}: add what makes one to fleet.py")
    wanted = None
    if option != "--make":
        with gzip.open(stored, "rt") as file:
            wanted = json.load(file)
        check.AUDIT = len(wanted["audit"])
    until = sql(server, "SELECT to_char(to_timestamp(max(recorded_at) / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"') FROM event")
    for name in "ab":
        node = FleetNode(program, scratch, name, server)
        answers = answers_of(node, until)
        wanted = wanted or answers.found
        check.AUDIT = len(wanted["audit"])
        compare(f"node {name} of the fleet", answers, wanted)
        if name == "b":
            # And it goes on.
            node.admin("POST", "/tenants/acme/draft/publish", status=201)
            node.command("audit", "list")
        node.stop()
    if option == "--make":
        with open(stored, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as archive:
            archive.write(json.dumps(wanted, sort_keys=True, ensure_ascii=False, indent=1).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
