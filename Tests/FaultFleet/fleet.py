"""Three nodes under load while their surroundings fail.

fleet.py FINGERPOST POSTGRESQL_BIN SCRATCH SEEDS: SEEDS random runs, or one with every fault if SEEDS is 0. FIRST_SEED is 0.

64 clients resolve links on three nodes, each on its own connection. Somebody publishes and creates short links on changing
nodes. Every answer must be a success and name a revision that was live, with the route of that revision, and a node's
revisions must not go back. After each fault all nodes have what was acknowledged, and the audit log is whole. At the end,
PostgreSQL has every event that was acknowledged as recorded, no other one, and none twice.
"""

import glob
import http.client
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.request

from node import Node, eventually, fail, within
from postgres import Link, Server, stopped

PROGRAM, BIN, SCRATCH, SEEDS = sys.argv[1:4] + [int(sys.argv[4])]
CLIENTS = 64
FAKETIME = glob.glob("/usr/lib/*/faketime/libfaketimeMT.so.1")[0]
SETTINGS = {"domains": ["acme.example"]}


class Publications:
    """What somebody has published, and what of it was acknowledged."""

    def __init__(self):
        self.lock = threading.Lock()
        # The routes that a revision may have: one, if its publication was acknowledged.
        self.routes = {}
        # Whether nodes may still answer with revisions of a lost history, whose numbers are given again.
        self.is_another = False
        self.acknowledged = 0
        self.attempts = 0
        self.codes = []
        # Routes whose publication was begun.
        self.begun = set()

    def may_be(self, revision, route):
        with self.lock:
            known = self.routes.get(revision)
            return route == known or (known is None or self.is_another) and route in self.begun


class Load(threading.Thread):
    """A client that sends links to one node, one after another."""

    def __init__(self, number, fleet):
        super().__init__(daemon=True)
        self.node, self.fleet, self.answers, self.faults = fleet.nodes[number % 3], fleet, 0, []
        self.newest, self.number, self.attempted, self.recorded = 0, number, set(), set()

    def run(self):
        connection = None
        while not self.fleet.is_over:
            if self.node.name in self.fleet.down:
                connection, self.newest = None, 0
                time.sleep(0.05)
                continue
            lives = self.fleet.lives[self.node.name]
            try:
                connection = connection or http.client.HTTPConnection(self.node.ports["public"], timeout=20)
                item = f"{self.number}-{len(self.attempted)}"
                self.attempted.add("/item/" + item)
                body = json.dumps({"url": "https://acme.example/item/" + item})
                connection.request("POST", "/resolve", body, {"Content-Type": "application/json"})
                response = connection.getresponse()
                self.judge(response.status, response.read())
            except OSError as error:
                connection, self.newest = None, 0
                # Its process may have been killed meanwhile.
                if self.node.name not in self.fleet.down and lives == self.fleet.lives[self.node.name]:
                    self.faults.append(f"{self.node.name}: no answer ({error!r})")
            except http.client.HTTPException:
                connection = None
            time.sleep(0.02)

    def judge(self, status, body):
        self.answers += 1
        if status != 200:
            self.faults.append(f"{self.node.name} answered {status}: {body[:300]}")
            return
        answer = json.loads(body)
        if answer["recorded"]:
            self.recorded.add(answer["id"])
        revision, route = answer.get("revision"), (answer.get("route") or {}).get("id")
        if not self.fleet.published.may_be(revision, route):
            # The publication may not have been answered yet.
            time.sleep(2)
            if not self.fleet.published.may_be(revision, route):
                self.faults.append(f"{self.node.name} answered with revision {revision} and route {route}")
        if (revision or 0) < self.newest and not self.fleet.lost_changes:
            self.faults.append(f"{self.node.name} went back from revision {self.newest} to {revision}")
        self.newest = revision or 0


class Fleet:
    def __init__(self, folder, is_synchronous):
        self.faults, self.fault = [], "the start"
        os.mkdir(folder)
        self.primary = Server(BIN, folder + "/a").create().start()
        self.standby = Server(BIN, folder + "/b").copy(self.primary).start()
        self.is_synchronous = is_synchronous
        self.be_synchronous()
        self.primary.sql("CREATE DATABASE nodes ENCODING 'UTF8' TEMPLATE template0")
        servers = (self.primary, self.standby)
        self.links = {
            name: [Link(f"{folder}/{name}-{n}", server) for n, server in enumerate(servers)] for name in ("x", "y", "z")
        }
        self.nodes = [
            Node(PROGRAM, folder, name, [link.folder for link in links]).start() for name, links in self.links.items()
        ]
        self.published = Publications()
        # Paths of links besides those of the load. Paths of short links are not recorded.
        self.others = {"/item/7", ""}
        self.is_over, self.down, self.lives, self.lost_changes = False, set(), {name: 0 for name in self.links}, False
        key = self.nodes[0].make_key()
        for node in self.nodes:
            node.key = key
        within(5, "the key is known everywhere", lambda: all(node.admin("GET", "tenants")[0] == 200 for node in self.nodes))
        self.settings = self.nodes[0].admin("PUT", "tenants/shop/settings", SETTINGS, headers={"If-None-Match": "*"})
        if self.settings[0] not in (200, 201):
            fail(f"the settings were answered with {self.settings}")
        self.publish(self.nodes[0])
        self.converge()

    def be_synchronous(self):
        names = os.path.basename(self.standby.folder) if self.is_synchronous else ""
        self.primary.sql(f"ALTER SYSTEM SET synchronous_standby_names = '{names}'")
        self.primary.sql("SELECT pg_reload_conf()")

    # MARK: Changes

    def publish(self, node, timeout=15):
        """Publishes a table whose only route is new. Returns whether that was acknowledged."""
        p = self.published
        with p.lock:
            p.attempts += 1
            route, draft = f"r{p.attempts}", f"d{p.attempts}"
            p.begun.add(route)
        table = {"routes": [
            {"id": route, "path": "/item/{id}", "open": {"screen": "A"}},
            {"id": "go", "path": "/s/{code}", "follow": "shortLinks"},
        ]}
        path = f"tenants/shop/draft?draft={draft}"
        try:
            status, answer = node.admin("PUT", path, table, timeout)
            if status not in (200, 201):
                return self.refused(status, answer)
            status, answer = node.admin("POST", path.replace("?", "/publish?"), {"message": "m"}, timeout)
        except OSError:
            return False
        if status not in (200, 201):
            return self.refused(status, answer)
        revision = answer["revision"]
        with p.lock:
            p.routes[revision] = route
            p.acknowledged = max(p.acknowledged, revision)
        return True

    def create(self, node):
        code = f"c{len(self.published.codes)}-{random.getrandbits(32)}"
        try:
            status, _ = node.admin("POST", "tenants/shop/short-links", {"code": code, "target": "https://acme.example/item/7"}, 15)
        except OSError:
            return
        if status == 201:
            self.published.codes.append((code, time.monotonic()))

    def refused(self, status, answer):
        self.last_refusal = status, answer
        # A lost race, or no PostgreSQL.
        if status not in (409, 412, 429, 503):
            self.faults.append(f"a publication was answered with {status}: {answer}")
        return False

    def editor(self):
        chance = random.Random(self.published.attempts)
        while not self.is_over:
            node = chance.choice(self.nodes)
            if node.name not in self.down:
                self.create(node) if chance.random() < 0.5 else self.publish(node)
            time.sleep(0.1)

    # MARK: The end of a fault

    def state(self, node):
        answer = node.resolve({"url": "https://acme.example/item/7"})[1]
        return answer.get("revision") or 0, (answer.get("route") or {}).get("id")

    def converge(self, seconds=40):
        """All nodes take changes, follow, and have the same live table."""
        self.last_refusal = None
        if not eventually(seconds, lambda: self.publish(self.nodes[0], 5)):
            fail(f"no change is accepted {seconds} s after a fault: {self.last_refusal} {self.faults[:5]}")
        p = self.published
        began, last = time.monotonic(), p.acknowledged
        isThere = lambda: all(self.state(node)[0] >= last for node in self.nodes)
        if not eventually(60, isThere):
            states = [(node.name, self.state(node), node.degraded()) for node in self.nodes]
            fail(f"not all nodes have revision {p.acknowledged} after {self.fault}: {states} {self.faults[:5]}")
        print(f"  {self.fault}: all nodes have the next publication after {time.monotonic() - began:.1f} s")
        within(20, "all nodes are ready", lambda: all("catalog" not in node.degraded() for node in self.nodes))

    def verify(self):
        self.nodes[0].command("audit", "verify", "--data", self.nodes[0].data)
        missing = [
            (node.name, code) for node in self.nodes for code, _ in random.sample(p.codes, min(20, len(p.codes)))
            if node.resolve({"url": f"https://acme.example/s/{code}"})[1].get("outcome") == "unmatched"
        ] if (p := self.published) and not self.lost_changes else []
        if missing:
            self.faults.append(f"short links are missing: {missing[:5]}")

    def unshipped(self, node):
        with urllib.request.urlopen(node.addresses["ops"] + "/metrics") as answer:
            values = [line.split()[1] for line in answer.read().decode().splitlines() if line.startswith("fingerpost_log_unshipped_rows ")]
        return float(values[0]) if values else None

    def verify_copies(self, clients):
        """Recorded ⊆ copies ⊆ attempted, nothing twice, and the counts are those of the rows."""
        within(60, "everything is shipped", lambda: all(self.unshipped(node) == 0 for node in self.nodes))
        stored = dict(line.split("|") for line in self.primary.sql("SELECT id, coalesce(path, short_link, '') FROM event", "nodes").splitlines())
        recorded = set().union(*(client.recorded for client in clients))
        attempted = set().union(*(client.attempted for client in clients), self.others)
        attempted |= {f"acme.example/s/{code}" for code, _ in self.published.codes}
        missing, invented = recorded - stored.keys(), set(stored.values()) - attempted
        if missing:
            self.faults.append(f"{len(missing)} recorded events are not in PostgreSQL, such as {sorted(missing)[:3]}")
        if invented:
            self.faults.append(f"PostgreSQL has events of links that nobody sent: {sorted(invented)[:3]}")
        print("  " + self.nodes[0].command("fleet", "verify", environment=self.nodes[0].environment()).splitlines()[-1])
        return len(stored), len(recorded)

    def stop(self):
        """A process that is told to end ships what is left."""
        last = [node.resolve({"url": "https://acme.example/item/7"})[1]["id"] for node in self.nodes for _ in range(20)]
        for node in self.nodes:
            node.stop()
        ids = ", ".join(f"'{event}'" for event in last)
        stored = int(self.primary.sql(f"SELECT count(*) FROM event WHERE id IN ({ids})", "nodes"))
        if stored != len(last):
            self.faults.append(f"processes that ended have shipped {stored} of their last {len(last)} events")

    # MARK: Faults

    def crash(self, chance):
        self.primary.stop("immediate")
        time.sleep(chance.uniform(0, 2))
        self.primary.start()

    def hang(self, chance):
        stopped(self.primary, chance.uniform(1, 4))

    def resets(self, chance):
        end = time.monotonic() + 3
        while time.monotonic() < end:
            for links in self.links.values():
                for link in links:
                    link.reset()
            time.sleep(chance.uniform(0.001, 0.05))

    def full_disk(self, chance):
        self.primary.fill()
        time.sleep(3)
        self.primary.empty()

    def fail_over(self, chance, lag=False):
        """The standby takes over. With lag, and if it is asynchronous, it may lack the last changes; an operator accepts that."""
        self.lost_changes = may_lose = not self.is_synchronous
        begin = time.monotonic()
        if lag:
            self.standby.receiver(signal.SIGSTOP)
            within(15, "a change that the standby lacks", lambda: self.publish(self.nodes[0], 5))
            time.sleep(2)
        self.primary.stop("immediate")
        if lag:
            self.standby.receiver(signal.SIGKILL)
        began = time.monotonic()
        self.standby.promote()
        promoted = time.monotonic()
        self.primary, self.standby = self.standby, self.primary
        if may_lose:
            time.sleep(3)
            foreign = [node.name for node in self.nodes if "history" in str(node.readiness())]
            if lag and not foreign:
                self.faults.append("no node noticed that the standby lacked changes")
            self.nodes[0].command("fleet", "accept-history", environment=self.nodes[0].environment())
            with self.published.lock:
                # Numbers are given again.
                self.published.is_another = True
                self.published.routes.clear()
                self.published.acknowledged = 0
                self.published.codes = [it for it in self.published.codes if it[1] < begin - 5]
            print(f"  a failover without some changes: {len(foreign)} nodes had another history")
        within(30, "a publication after a failover", lambda: self.publish(self.nodes[0], 5))
        print(f"  the first publication {time.monotonic() - promoted:.1f} s after a promotion of {promoted - began:.1f} s")
        # The old primary comes back as a standby.
        self.standby.copy(self.primary).start()
        self.be_synchronous()
        if may_lose:
            self.converge()
            # Until the last answers of the lost history are judged.
            time.sleep(4)
            self.lost_changes = self.published.is_another = False

    def fail_over_with_lag(self, chance):
        was_synchronous, self.is_synchronous = self.is_synchronous, False
        self.be_synchronous()
        self.fail_over(chance, lag=True)
        self.is_synchronous = was_synchronous
        self.be_synchronous()

    def away(self, chance, seconds=6):
        for links in self.links.values():
            for link in links:
                link.cut()
        time.sleep(seconds)
        for links in self.links.values():
            for link in links:
                link.heal()

    def cut_off(self, chance):
        links = self.links[chance.choice("xyz")]
        for link in links:
            link.cut()
        time.sleep(3)
        for link in links:
            link.heal()

    def kill(self, chance, clock=None, node=None):
        node = node or chance.choice(self.nodes)
        self.down.add(node.name)
        self.lives[node.name] += 1
        node.kill()
        # The command faketime would be a process around the server's. The library takes effect with the second `exec`.
        variables = [f"LD_PRELOAD={FAKETIME}", f"FAKETIME={clock}", "DONT_FAKE_MONOTONIC=1"]
        node.launcher = ["env", *variables, "env"] if clock else []
        node.start()
        self.down.discard(node.name)

    def wrong_clock(self, chance):
        node = chance.choice(self.nodes)
        self.kill(chance, chance.choice(["+1h", "-1h"]), node)
        self.converge()
        # The library stops the timers of an idle process.
        self.kill(chance, node=node)

    def clone(self, chance):
        """A node's disk is copied, and both copies run. One of them ships, the other one waits until it has joined again."""
        node = chance.choice(self.nodes)
        self.down.add(node.name)
        node.stop()
        folder = os.path.dirname(node.data)
        copy = Node(PROGRAM, folder, node.name, [link.folder for link in self.links[node.name]])
        copy.data, copy.log = f"{folder}/copy", f"{folder}/copy.log"
        shutil.copytree(node.data, copy.data, ignore=lambda _, names: [name for name in names if name.endswith(".sock")])
        for started in chance.sample([node, copy], 2):
            started.start()
        self.lives[node.name] += 1
        self.down.discard(node.name)
        for number in range(20):
            item = f"clone-{number}"
            self.others.add("/item/" + item)
            if copy.resolve({"url": "https://acme.example/item/" + item})[0] != 200:
                self.faults.append("a copied disk does not answer")
        isForeign = lambda one: "another process ships the log" in str(one.readiness())
        within(30, "one of two copies of a disk is noticed", lambda: isForeign(node) or isForeign(copy))
        copy.stop()
        if isForeign(node):
            self.down.add(node.name)
            node.stop()
            node.command("fleet", "rejoin", "--data", node.data, environment=node.environment())
            node.start()
            self.lives[node.name] += 1
            self.down.discard(node.name)
            # What the copy has answered is on its disk.
            copy.command("fleet", "drain", "--data", copy.data, environment=copy.environment())
        else:
            copy.command("fleet", "rejoin", "--data", copy.data, environment=copy.environment())
            copy.command("fleet", "drain", "--data", copy.data, environment=copy.environment())
        shutil.rmtree(copy.data)

    def same_draft(self, chance):
        """Two nodes publish one draft: once."""
        path = "tenants/shop/draft?draft=both"
        with self.published.lock:
            self.published.attempts += 1
            route = f"r{self.published.attempts}"
            self.published.begun.add(route)
        table = {"routes": [{"id": route, "path": "/item/{id}", "open": {"screen": "A"}}]}
        nodes = chance.sample(self.nodes, 2)
        if nodes[0].admin("PUT", path, table)[0] not in (200, 201):
            return
        answers = []
        threads = [
            threading.Thread(target=lambda n=node: answers.append(n.admin("POST", path.replace("?", "/publish?"), {})))
            for node in nodes
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        made = [answer["revision"] for status, answer in answers if status in (200, 201)]
        if len(made) > 1:
            self.faults.append(f"one draft was published twice: {answers}")
        with self.published.lock:
            for revision in made:
                self.published.routes[revision] = route

    ALL = [crash, hang, resets, full_disk, fail_over, fail_over_with_lag, away, cut_off, kill, wrong_clock, clone, same_draft]

    # MARK: A run

    def run(self, faults, chance):
        clients = [Load(number, self) for number in range(CLIENTS)]
        editor = threading.Thread(target=self.editor, daemon=True)
        for thread in [*clients, editor]:
            thread.start()
        for fault in faults:
            self.fault = fault.__name__
            fault(self, chance)
            self.converge()
        self.is_over = True
        for thread in [*clients, editor]:
            thread.join(30)
        self.converge()
        self.verify()
        self.faults += [fault for client in clients for fault in client.faults]
        answers = sum(client.answers for client in clients)
        rows, recorded = self.verify_copies(clients)
        print(f"  {rows} events in PostgreSQL, {recorded} of them acknowledged")
        names = ", ".join(fault.__name__ for fault in faults)
        print(f"{answers} answers, {len(self.published.routes)} publications, {len(self.published.codes)} short links: {names}")
        self.stop()
        for server in (self.primary, self.standby):
            server.remove()
        if self.faults:
            fail(f"{len(self.faults)} faults, such as:\n  " + "\n  ".join(self.faults[:10]))
        if answers < 500:
            fail(f"there was no load: {answers} answers")


def main():
    faults = Fleet.ALL if os.getuid() == 0 else [fault for fault in Fleet.ALL if fault != Fleet.full_disk]
    if len(faults) < len(Fleet.ALL):
        print("SKIPPED: only root can limit a disk")
    for seed in range(int(os.environ.get("FIRST_SEED", 0)), SEEDS):
        chance = random.Random(seed)
        print(f"seed {seed}:")
        Fleet(f"{SCRATCH}/run{seed}", is_synchronous=seed % 2 == 0).run(chance.sample(faults, 4), chance)
        subprocess.run(["rm", "-rf", f"{SCRATCH}/run{seed}"], check=True)
    if SEEDS == 0:
        Fleet(f"{SCRATCH}/run", is_synchronous=True).run(faults, random.Random(0))


main()
