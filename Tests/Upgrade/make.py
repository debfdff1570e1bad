#!/usr/bin/env python3
"""Makes the data directory that each later version must open: every table and every kind of file, through the API and the
commands, on four days of November 2026.

    make.py PROGRAM FOLDER

writes FOLDER/data.tar.gz. All keys and secrets in it are for tests, and are named so.
"""

import base64
import json
import os
import re
import sys
import tarfile
import tempfile
import urllib.parse

from service import Service, run

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(HERE, "../../config/examples")
WEBHOOK_SECRET = "whsec_" + base64.b64encode(b"a secret of the kept directory, ").decode()
# The tenants of the examples. Their settings keep the events of the directory for any later year.
LASTING = "settings:\n  retentionDays: 36500\n  export: {{schedule: 'off', format: {}}}\n"

AGENTS = {
    "browser": "Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1",
    "android": "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36",
    "preview": "WhatsApp/2.23.20.0",
    "search": "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)",
}
LINKS = [
    "acme://item/7?utm_source=mail&utm_campaign=spring", "https://www.acme.test/item/8", "https://go.acme.test/item/abc",
    "acme://sale", "acme://welcome", "https://go.acme.test/user/anna", "acme://user/anna/delete", "acme://reset/secret",
    "https://www.acme.test/legal/terms", "https://go.acme.test/s/spring", "https://go.acme.test/nowhere/x", "acme://item/9).",
    "https://farechoice.taxi/booking/A1", "https://farechoice.taxi/legal/terms", "deeplink://blogs/7", "deeplink://blogs/-1",
    "com.example.sample://list?premium", "https://medium.com/m/oauth/x", "https://nobody.test/x", "not a link", "acme://item/%zz",
]
CONTEXTS = [
    {"app": "ios", "platform": "ios", "device": "phone", "osVersion": "17.4", "appVersion": "3.2.0", "locale": ["en-GB"],
     "country": "DE", "traits": {"userType": "premium"}, "stickyKey": "install-1"},
    {"app": "ios", "platform": "ios", "appVersion": "1.0", "authenticated": True, "stickyKey": "install-2"},
    {"platform": "android", "installed": False, "country": "FR", "stickyKey": "install-3"},
    {"platform": "desktop"},
]


class Directory:
    def __init__(self, program, folder):
        self.program, self.folder, self.data = program, folder, folder + "/data"
        self.key = run(
            program, "keys", "create", "--init", "--data", self.data, "--name", "test key of the kept directory", "--scope", "admin",
            clock="2026-10-01 09:00:00",
        ).strip()

    def at(self, clock, body, **settings):
        service = Service(self.program, self.data, clock, self.key, settings)
        body(service)
        service.stop()

    def example(self, service, name, format):
        with open(f"{EXAMPLES}/{name}.yaml") as file:
            text = file.read().replace("settings:\n", LASTING.format(format), 1)
        service.command("apply", "-f", "-", input=text)


def october(service):
    """A key that ends more than 30 days before the next one is made."""
    ended = service.admin("POST", "/keys", {"name": "ended test key", "scopes": ["resolve"]}, 201).json
    service.admin("DELETE", "/keys/" + ended["id"], status=200)


def first_day(directory, service):
    service.command("apply", "-f", f"{HERE}/acme.yaml", "--suite", f"{HERE}/acme.suite.yaml", "--message", "First table")
    for name, format in [("taxi", "csv"), ("blogs", "ndjson"), ("sample", "ndjson"), ("magazine", "ndjson")]:
        directory.example(service, name, format)
    service.command("links", "create", "acme", "https://www.acme.test/item/7", "--code", "spring", "--tag", "mail", "--utm-source", "newsletter",
                    "--utm-campaign", "spring", "--title", "Spring")
    service.command("links", "create", "acme", "https://shop.acme.test/page", "--code", "Page", "--preview-title", "A page")
    service.command("links", "create", "acme", "https://www.acme.test/item/8", "--code", "ended", "--expires", "2026-11-03")
    service.command("links", "create", "acme", "https://www.acme.test/item/9", "--code", "long", "--expires", "2099-01-01")
    for code in ["archived", "blocked"]:
        service.command("links", "create", "acme", "https://www.acme.test/item/1", "--code", code)
    record(service)


def record(service):
    """Links of all tenants with every outcome, and clicks."""
    for context in CONTEXTS:
        for link in LINKS:
            service.resolve(url=link, context=context)
    service.resolve(links=[{"url": "acme://item/1", "clientEventId": "one"}, "acme://item/2"], context=CONTEXTS[0])
    service.resolve(url="acme://item/3", purpose="test")
    service.resolve(url="acme://item/3", purpose="preview")
    for agent in AGENTS.values():
        for path in ["/item/7?utm_source=mail", "/s/spring", "/Page", "/nowhere", "/s/ended"]:
            service.ask("public", "GET", path, host="go.acme.test", User_Agent=agent, Referer="https://news.test/x", Accept="text/html",
                        Accept_Language="de")


def report(service, number):
    """What apps report: decisions, an install, and short links of their own."""
    key = service.admin("POST", "/keys", {"name": f"test key of the app {number}", "tenant": "acme", "scopes": ["resolve", "links:create"]}, 201)
    bearer = {"Authorization": "Bearer " + key.json["key"]}
    events = [
        {"clientEventId": f"report-{number}-{place}", "occurredAt": f"2026-11-0{number + 1}T08:00:00.000Z", "url": url,
         "context": {"platform": "ios", "appVersion": "3.2.0"}, "revision": 1, "settingsRevision": 1, "outcome": outcome,
         "action": "open_app", "result": result}
        for place, (url, outcome, result) in enumerate([
            ("acme://item/7", "matched", "shown"), ("acme://item/x", "matched", "failed"), ("https://go.acme.test/s/spring", "matched", "shown"),
        ])
    ]
    message = {"tenant": "acme", "app": "ios", "install": "install-1", "engineVersion": "1.0", "events": events}
    assert service.ask("public", "POST", "/_fp/events", message).status == 200
    install = {"tenant": "acme", "app": "ios", "install": f"install-{number}", "link": "https://go.acme.test/item/7"}
    answer = service.ask("public", "POST", "/_fp/installs", install)
    assert answer.status == 200, answer.text
    link = {"tenant": "acme", "install": f"install-{number}", "target": "https://www.acme.test/item/7", "utm": {"source": "app"}}
    answer = service.ask("public", "POST", "/_fp/links", link, **bearer)
    assert answer.status == 201, answer.text


def second_day(service):
    record(service)
    report(service, 2)
    service.command("links", "edit", "acme", "long", "--title", "Changed", "--target", "https://www.acme.test/item/10")
    service.command("links", "archive", "acme", "archived")
    service.command("links", "block", "acme", "blocked", "--reason", "It led to a copied page.")
    for tenant in ["acme", "taxi"]:
        service.admin("POST", f"/tenants/{tenant}/exports", status=201)
    # The export of acme gets a second version.
    service.admin("POST", "/tenants/acme/erasures", {"stickyKey": "install-3"}, 201)
    service.command("tenants", "archive", "magazine")
    service.admin("PUT", "/tenants/removed/settings", {"schemes": ["removed"], "export": {"schedule": "off"}}, 201)
    service.command("tenants", "archive", "removed")
    service.admin("DELETE", "/tenants/removed", status=204)


def third_day(service):
    record(service)
    report(service, 3)
    tenant = "/tenants/acme"
    # A second and a third revision, one in another environment, a rollback, and drafts.
    route = {"path": "/news/{day:date}", "open": {"screen": "News", "arguments": {"day": "{day}"}}}
    service.admin("PUT", f"{tenant}/draft/routes/news", route, 201)
    service.admin("POST", f"{tenant}/draft/publish", {"message": "News", "approvals": ["Anna"]}, 201)
    service.admin("POST", f"{tenant}/revisions/2/promote?to=staging", status=201)
    service.admin("POST", f"{tenant}/revisions/1/rollback", status=201)
    service.admin("PUT", f"{tenant}/draft/routes/about?draft=summer", {"path": "/about", "open": {"screen": "About"}}, 201)
    service.admin("PUT", f"{tenant}/draft/routes/help", {"path": "/help", "open": {"screen": "Help"}}, 201)
    limited = {"name": "limited test key", "tenant": "acme", "scopes": ["tables:write", "tables:read"], "environments": ["staging"],
               "owners": ["commerce"], "pathPrefixes": ["/item"], "expiresAt": "2099-01-01T00:00:00.000Z"}
    limited = service.admin("POST", "/keys", limited, 201).json
    service.admin("POST", f"/keys/{limited['id']}/rotate", {"graceSeconds": 86400}, 201)
    service.admin("POST", f"{tenant}/short-links", {"target": "https://www.acme.test/item/11", "code": "repeated"}, 201,
                  Idempotency_Key="5f0c7e1a-0000-4000-8000-000000000001")
    # A link that signs in once, and a session.
    service.command("console", "open")
    answer = service.ask("admin", "POST", "/console/sign-in", urllib.parse.urlencode({"key": service.key}),
                         Content_Type="application/x-www-form-urlencoded", Sec_Fetch_Site="same-origin")
    assert answer.status in (302, 303), answer.text
    with open(os.path.dirname(service.data) + "/test-session", "w") as file:
        file.write(answer.headers["Set-Cookie"].partition(";")[0])
    keep_files(service, os.path.dirname(service.data) + "/files")
    # Exports with a notice that waits for its receiver.
    service.admin("POST", f"{tenant}/exports", status=201)
    service.resolve(url="acme://item/12", context=CONTEXTS[0])


def keep_files(service, folder):
    """What lies outside the data directory: a tenant, links, a signed table with its keys, and tokens of apps."""
    os.mkdir(folder)
    service.command("pull", "acme", "-f", folder + "/acme.yaml")
    service.command("links", "export", "acme", "--output", folder + "/links.ndjson")
    run(service.program, "table", "keys", "create", folder + "/table.jwk")
    run(service.program, "table", "sign", folder + "/acme.yaml", "--app", "ios", "--signing-key", folder + "/table.jwk", "--revision", "1",
        "--settings-revision", "1", "--output", folder + "/acme.table", clock=service.clock)
    continuation = service.resolve(url="acme://user/anna", context=CONTEXTS[0]).json["continuation"]["token"]
    page = service.ask("public", "GET", "/item/7", host="go.acme.test", User_Agent=AGENTS["android"], Accept="text/html")
    install = re.search(r"fp%3D([\w-]+)", (page.headers["Location"] or "") + page.text)[1]
    with open(folder + "/tokens.json", "w") as file:
        json.dump({"continuation": continuation, "install": install}, file)


def last_hour(service):
    """The place of the exports is not there, so a window is begun and stays."""
    answer = service.admin("POST", "/tenants/acme/exports")
    assert answer.status >= 500, answer.text


def main(program, folder):
    with tempfile.TemporaryDirectory() as scratch:
        directory = Directory(program, scratch)
        directory.at("2026-10-01 10:00:00", october)
        directory.at("2026-10-20 10:00:00", lambda service: None)
        directory.at("2026-11-02 09:00:00", lambda service: first_day(directory, service))
        directory.at("2026-11-03 09:00:00", second_day)
        webhook = {"FINGERPOST_EXPORTS_WEBHOOK_URL": "http://127.0.0.1:9/", "FINGERPOST_EXPORTS_WEBHOOK_REACH": "anywhere",
                   "FINGERPOST_EXPORTS_WEBHOOK_SECRET": WEBHOOK_SECRET}
        directory.at("2026-11-04 13:00:00", third_day, **webhook)
        open(scratch + "/file", "w").close()
        directory.at("2026-11-04 13:05:00", last_hour, FINGERPOST_EXPORTS_DIRECTORY=scratch + "/file")
        run(program, "backup", scratch + "/backup", "--data", directory.data, clock="2026-11-04 13:10:00")
        with open(scratch + "/test-key", "w") as file:
            file.write(directory.key)
        os.makedirs(folder, exist_ok=True)
        with tarfile.open(f"{folder}/data.tar.gz", "w:gz", format=tarfile.PAX_FORMAT) as archive:
            for name in ["data", "backup", "files", "test-key", "test-session"]:
                archive.add(f"{scratch}/{name}", name, filter=owned)
    print(f"{folder}/data.tar.gz: {os.path.getsize(folder + '/data.tar.gz')} bytes")


def owned(entry):
    """Without the name of the user who ran this."""
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return None if entry.name.endswith(".sock") else entry


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
