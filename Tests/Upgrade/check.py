#!/usr/bin/env python3
"""Opens copies of a kept data directory, and compares all answers with those that were recorded when it was made.

    check.py PROGRAM FOLDER [--record | --long]

FOLDER has data.tar.gz, answers.json.gz and interface.txt. --record writes the last two. --long opens further copies in later years.
"""

import base64
import glob
import gzip
import hashlib
import http.server
import json
import os
import re
import shutil
import sqlite3
import sys
import tarfile
import tempfile
import threading
import time

import interface
from make import CONTEXTS, LINKS, WEBHOOK_SECRET
from service import Service, run

# Files with tables without a row, and why.
EMPTY = {
    "catalog.db: copy_of": "only in a node's copy of a catalog in PostgreSQL",
    "catalog.db: accepted_history": "only in PostgreSQL",
    "events/ledger.db: shipped_as": "only on a node of several",
    "links.db: link_position": "only in a node's copy of links in PostgreSQL",
    "links.db: unsent_end": "only on a node of several, until PostgreSQL has the end of a link that was clicked while it was away",
}
# A continuation ends after 30 minutes.
SAME_HOUR = "2026-11-04 13:20:00"
# Half an hour into the day after the last events: sessions, keys, stored responses and notices still last.
NEXT_DAY = "2026-11-05 00:30:00"
LATER = ["2027-06-01 12:00:00", "2030-02-28 23:59:50"]
TENANTS = ["acme", "taxi", "blogs", "sample", "magazine"]
# The window that was begun and not exported.
PENDING = "/events-20261104T1305"
RANGE = "from=2026-10-01&until=2026-11-05"
HOSTS = ["go.acme.test", "www.acme.test", "farechoice.taxi", "app.example.com", "medium.com", "nobody.test"]


def rows_of(data):
    """The number of rows of each table of each SQLite file."""
    found = {}
    for path in sorted(glob.glob(data + "/service/*.db") + glob.glob(data + "/service/events/*.db")):
        with tempfile.TemporaryDirectory() as scratch:
            copy = shutil.copy(path, scratch)
            file = sqlite3.connect(copy)
            tables = [name for (name,) in file.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")]
            name = os.path.relpath(path, data + "/service")
            found[name] = {table: file.execute(f'SELECT count(*) FROM "{table}"').fetchone()[0] for table in tables}
            file.close()
    return found


def empty_tables(data):
    """The tables without a row; of day files those that are empty in each."""
    sums = {}
    for name, tables in rows_of(data).items():
        for table, count in tables.items():
            place = ("events/DAY.db" if re.match(r"events/\d", name) else name, table)
            sums[place] = sums.get(place, 0) + count
    return sorted(name for name in (f"{file}: {table}" for (file, table), count in sums.items() if count == 0) if name not in EMPTY)


def without(value, *names):
    """A JSON value without members that change with each request."""
    if isinstance(value, dict):
        return {name: without(member, *names) for name, member in value.items() if name not in names}
    return [without(item, *names) for item in value] if isinstance(value, list) else value


def listed(service, path, member):
    """All pages of a list."""
    items, cursor = [], ""
    while True:
        page = service.admin("GET", path + ("&" if "?" in path else "?") + "limit=1000" + cursor, status=200).json
        items += page[member]
        if not page.get("nextCursor"):
            return items
        cursor = "&cursor=" + page["nextCursor"]


def told(answer):
    return [answer.status, without(answer.json, "requestId")]


class Answers:
    """What a service answers, by the name of a question."""

    def __init__(self):
        self.found = {}

    def add(self, question, answer):
        self.found[question] = json.loads(json.dumps(answer))

    def catalog(self, service):
        for tenant in TENANTS:
            path = "/tenants/" + tenant
            self.add(f"{tenant}: settings", service.admin("GET", path + "/settings").json)
            self.add(f"{tenant}: history of settings", service.admin("GET", path + "/settings/history").json)
            revisions = listed(service, path + "/revisions", "revisions")
            self.add(f"{tenant}: revisions", revisions)
            for revision in revisions:
                number = revision["revision"]
                self.add(f"{tenant}: table {number}", service.admin("GET", f"{path}/revisions/{number}/table").json)
            for place in ["?environment=production", "?environment=staging"]:
                self.add(f"{tenant}: live {place}", told(service.admin("GET", path + "/table" + place)))
            drafts = service.admin("GET", path + "/drafts").json
            self.add(f"{tenant}: drafts", drafts)
            for draft in drafts["drafts"]:
                self.add(f"{tenant}: draft {draft['draft']}", service.admin("GET", f"{path}/draft?draft={draft['draft']}").json)
            suites = service.admin("GET", path + "/suites").json
            self.add(f"{tenant}: suites", suites)
            for suite in suites["suites"]:
                self.add(f"{tenant}: suite {suite['suite']}", service.admin("GET", f"{path}/suites/{suite['suite']}").text)
        self.add("tenants", service.admin("GET", "/tenants").json)
        self.add("keys", without(listed(service, "/keys", "keys"), "lastUsedAt"))
        self.add("audit", listed(service, "/audit", "audit")[-AUDIT:] if AUDIT else listed(service, "/audit", "audit"))
        self.add("audit is intact", service.admin("POST", "/audit/verify").json["intact"])

    def links(self, service, lasting=False):
        all_links = listed(service, "/tenants/acme/short-links", "shortLinks")
        links = [link for link in all_links if not link.get("fromApp")]
        self.add("short links", links)
        if not lasting:
            # They end after 90 days.
            self.add("short links of apps", [link for link in all_links if link.get("fromApp")])
        for link in links:
            path = "/tenants/acme/short-links/" + link["code"]
            self.add(f"short link {link['code']}", without(service.admin("GET", path).json, "clicks"))
            self.add(f"history of {link['code']}", service.admin("GET", path + "/history").json)
            self.add(f"QR code of {link['code']}", service.admin("GET", path + "/qr.svg").text)

    def public(self, service):
        for host in HOSTS:
            for file in ["apple-app-site-association", "assetlinks.json"]:
                answer = service.ask("public", "GET", "/.well-known/" + file, host=host)
                self.add(f"{file} of {host}", answer.text if answer.status == 200 else answer.status)
        for number, context in enumerate(CONTEXTS):
            for link in LINKS:
                answer = service.resolve(url=link, context=context, purpose="test", explain=number == 0).json
                self.add(f"{link} in context {number}", without(answer, "id", "continuation", "requestId"))
        for path in ["/item/7", "/s/spring", "/Page", "/s/ended", "/s/archived", "/s/blocked", "/nowhere"]:
            answer = service.ask("public", "GET", path, host="go.acme.test", Accept="text/html", User_Agent="curl/8")
            place = answer.headers["Location"] or re.sub(r"[A-Za-z0-9_-]{100,}|[0-9a-f]{8}-[0-9a-f-]{27}", "…", answer.text)
            self.add(f"click on {path}", f"{answer.status} {place}")

    def log(self, service):
        for tenant in TENANTS:
            path = "/tenants/" + tenant
            for query in [
                "totals?by=route,revision,outcome,action&purpose=all", "totals?by=outcome", "series?interval=day&by=outcome",
                "series?interval=hour&purpose=test", "unmatched?limit=20", "rejected?", "revisions?",
                *[f"top/{name}?limit=100" for name in (
                    "kind app platform device osVersion appVersion country locale referrerHost utmSource utmCampaign variant botClass "
                    "engineVersion disagreement appEngine result route"
                ).split()],
                "totals?by=route&purpose=install", "totals?by=outcome&environment=staging",
            ]:
                self.add(f"{tenant}: {query}", without(sorted_counts(service.admin("GET", f"{path}/stats/{query}&{RANGE}").json), "requestId"))
            self.add(f"{tenant}: events", events(service, tenant))
            self.add(f"{tenant}: erasures", service.admin("GET", path + "/erasures").json)
            for manifest in listed(service, path + "/exports", "exports"):
                name = manifest["name"]
                if manifest["window"]["end"] > "2026-11-05":
                    continue
                self.add(f"{tenant}: manifest {name}", manifest)
                if manifest.get("file"):
                    file = service.admin("GET", f"{path}/exports/" + manifest["file"]["path"].partition("/")[2], status=200)
                    self.add(f"{tenant}: SHA-256 of {name}", hashlib.sha256(file.body).hexdigest())
                    self.add(f"{tenant}: rows of {name}", len(gzip.decompress(file.body).splitlines()))
                again = service.admin("POST", f"{path}/exports/" + name.partition("/")[2])
                self.add(f"{tenant}: {name} again", again.json)
        for event in events(service, "acme")[::20]:
            answer = service.admin("GET", f"/tenants/acme/events/{event['seq']}/explain")
            self.add(f"explanation of {event['seq']}", without(answer.json, "requestId"))


# The number of changes of the directory itself.
AUDIT = 0


def sorted_counts(answer):
    """The order of equal counts is not defined."""

    def ordered(member):
        if isinstance(member, list) and all(isinstance(item, dict) and "count" in item for item in member):
            return sorted(member, key=lambda item: (-item["count"], json.dumps(item, sort_keys=True)))
        return member

    return {name: ordered(member) for name, member in answer.items()}


def events(service, tenant):
    """The rows of a tenant's log until the directory was made, in order."""
    rows, after = [], 0
    while True:
        page = service.admin("GET", f"/tenants/{tenant}/events?after={after}&limit=1000", status=200).json
        rows += [row for row in page["events"] if row["recordedAt"] < "2026-11-05"]
        if not page["events"]:
            return rows
        after = page["nextAfter"]


class Receiver(http.server.BaseHTTPRequestHandler):
    """Accepts webhooks."""

    def do_POST(self):
        self.server.got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def next_day(answers, program, folder):
    """The first start of the new version: everything, also what ends later."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver) as receiver:
        receiver.got = []
        threading.Thread(target=receiver.serve_forever, daemon=True).start()
        service = opened(program, folder, NEXT_DAY, {
            "FINGERPOST_EXPORTS_WEBHOOK_URL": f"http://127.0.0.1:{receiver.server_port}/", "FINGERPOST_EXPORTS_WEBHOOK_REACH": "anywhere",
            "FINGERPOST_EXPORTS_WEBHOOK_SECRET": WEBHOOK_SECRET,
        })
        ask(answers, service)
        # The notice that waited for its receiver. That of the window that was begun follows some time later.
        for _ in range(300):
            if receiver.got:
                break
            time.sleep(0.1)
        answers.add("notice", receiver.got[0]["data"] if receiver.got else None)
        repeated = service.admin(
            "POST", "/tenants/acme/short-links", {"target": "https://www.acme.test/item/11", "code": "repeated"},
            Idempotency_Key="5f0c7e1a-0000-4000-8000-000000000001",
        )
        answers.add("repeated request", [*told(repeated), repeated.headers["Idempotency-Replayed"]])
        with open(folder + "/test-session") as file:
            page = service.ask("admin", "GET", "/console/acme/links", Cookie=file.read())
        answers.add("page of a session", page.status)
        kept_files(answers, service, folder + "/files")
        # And the directory goes on.
        published = service.admin("POST", "/tenants/acme/draft/publish", {"message": "After the upgrade"})
        answers.add("next publication", [published.status, published.json.get("revision")])
        answers.add("next route", without(service.resolve(url="acme://help").json, "id"))
        claim = {"tenant": "acme", "app": "android", "install": "install-4", "token": tokens(folder)["install"]}
        claim = service.ask("public", "POST", "/_fp/installs", claim)
        answers.add("install token", [claim.status, without(claim.json, "id", "requestId")])
        install = service.admin("POST", "/tenants/acme/erasures", {"stickyKey": "install-2"}, 201)
        answers.add("next erasure", without(install.json, "id", "requestedAt", "finishedAt", "requestId"))
        answers.add("audit after it", service.admin("POST", "/audit/verify").json["intact"])
        service.stop()
        receiver.shutdown()
    run(program, "verify-log", "--data", folder + "/data", clock=NEXT_DAY)


def kept_files(answers, service, files):
    """Files outside the data directory. No command changes the service."""
    with open(files + "/table.jwk") as file:
        table = ["--tenant", "acme", "--app", "ios", "--public-key", json.load(file)["x"]]
    answers.add("signed table", json.loads(run(service.program, "table", "verify", files + "/acme.table", *table, "--json", clock=NEXT_DAY)))
    run(service.program, "table", "verify", files + "/acme.table", *table, "--any-time")
    sign = ["--app", "ios", "--signing-key", files + "/table.jwk", "--revision", "1", "--settings-revision", "1", "--output", files + "/again.table"]
    run(service.program, "table", "sign", files + "/acme.yaml", *sign)
    run(service.program, "table", "verify", files + "/again.table", *table)
    run(service.program, "check", files + "/acme.yaml")
    # The exit code is 0: nothing would change.
    service.command("plan", "-f", files + "/acme.yaml")
    answers.add("import of links", json.loads(service.command("links", "import", "acme", files + "/links.ndjson", "--dry-run", "--json")))


def tokens(folder):
    with open(folder + "/files/tokens.json") as file:
        return json.load(file)


def same_hour(answers, program, folder):
    service = opened(program, folder, SAME_HOUR)
    context = {"app": "ios", "platform": "ios", "appVersion": "3.2.0", "authenticated": True}
    answers.add("continuation", without(told(service.resolve(continuation=tokens(folder)["continuation"], context=context)), "id"))
    service.stop()


def opened(program, folder, clock, settings=None, data="data"):
    with open(folder + "/test-key") as file:
        return Service(program, f"{folder}/{data}", clock, file.read(), settings)


def ask(answers, service, lasting=False):
    # The window that was begun is exported after the start.
    for _ in range(300):
        if any(PENDING in manifest["name"] for manifest in listed(service, "/tenants/acme/exports", "exports")):
            break
        time.sleep(0.1)
    answers.catalog(service)
    answers.links(service, lasting)
    answers.log(service)
    if not lasting:
        answers.add("events of no tenant", events(service, "-"))
        answers.add("clicks of short links", sorted_counts(service.admin("GET", "/tenants/acme/stats/short-links?days=30").json))
    answers.public(service)


def unpacked(folder):
    scratch = tempfile.mkdtemp()
    with tarfile.open(folder + "/data.tar.gz") as archive:
        archive.extractall(scratch, filter="data")
    return scratch


def differences(found, wanted):
    lines = []
    for question, answer in sorted(found.items()):
        if answer != wanted.get(question):
            shown = [json.dumps(side, sort_keys=True) for side in (answer, wanted.get(question))]
            start = next((place for place, (now, then) in enumerate(zip(*shown)) if now != then), min(map(len, shown)))
            lines.append(f"{question}:")
            lines += [f"    {when} …{text[max(0, start - 60):start + 140]}" for when, text in zip(["now ", "then"], shown)]
    return lines


def compare(what, answers, wanted):
    lines = differences(answers.found, wanted)
    if lines:
        print(*lines[:60], sep="\n")
        raise SystemExit(f"{what}: {len(lines) // 3} of {len(answers.found)} answers differ from those of the kept directory")
    print(f"{what}: {len(answers.found)} answers are the same")


def check_interface(program, folder, option):
    now, path = interface.lines(program), folder + "/interface.txt"
    if option == "--record":
        with open(path, "w") as file:
            file.writelines(line + "\n" for line in sorted(now))
    with open(path) as file:
        kept = set(file.read().splitlines())
    if broken := interface.breaks(kept, now):
        print(*broken[:100], sep="\n")
        raise SystemExit(
            f"{len(broken)} facts of {path} have changed: - is missing, + is a new demand. docs/compatibility.md says what is stable, and how a "
            "removal is announced. After that, or for a correction, name the line in REMOVED of Tests/Upgrade/interface.py."
        )
    print(f"the interface has all {len(kept)} facts")


def main(program, folder, option=None):
    global AUDIT
    stored = folder + "/answers.json.gz"
    wanted = None
    if option != "--record":
        with gzip.open(stored, "rt") as file:
            wanted = json.load(file)
        AUDIT = len(wanted["audit"])

    check_interface(program, folder, option)
    scratch = unpacked(folder)
    if empty := empty_tables(scratch + "/data"):
        raise SystemExit(f"the kept directory has no row of {', '.join(empty)}: add what makes one to make.py")
    answers = Answers()
    next_day(answers, program, scratch)
    shutil.rmtree(scratch)
    scratch = unpacked(folder)
    same_hour(answers, program, scratch)
    shutil.rmtree(scratch)
    wanted = wanted or answers.found
    AUDIT = len(wanted["audit"])
    if lost := wanted.keys() - answers.found.keys():
        raise SystemExit(f"not asked any more: {', '.join(sorted(lost))}")
    compare("on the next day", answers, wanted)

    scratch = unpacked(folder)
    run(program, "restore", scratch + "/backup", "--data", scratch + "/restored", clock=NEXT_DAY)
    answers = Answers()
    service = opened(program, scratch, NEXT_DAY, data="restored")
    answers.catalog(service)
    answers.links(service)
    answers.public(service)
    service.stop()
    shutil.rmtree(scratch)
    compare("its backup", answers, wanted)

    for clock in [None] + (LATER if option in ("--long", "--record") else []):
        scratch = unpacked(folder)
        answers = Answers()
        service = opened(program, scratch, clock)
        ask(answers, service, lasting=True)
        service.stop()
        run(program, "verify-log", "--data", scratch + "/data", clock=clock)
        shutil.rmtree(scratch)
        compare(f"at {clock or 'this time'}", answers, wanted)

    if option == "--record":
        with open(stored, "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as archive:
            archive.write(json.dumps(wanted, sort_keys=True, ensure_ascii=False, indent=1).encode())


if __name__ == "__main__":
    main(*sys.argv[1:])
