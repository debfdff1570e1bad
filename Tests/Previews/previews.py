"""Reads the previews of 40 links as two libraries for them do, and counts which User-Agents are taken for programs.

    previews.py FINGERPOST

Exits with 1 at the first difference.
"""

import http.client
import json
import os
import subprocess
import sys
import tempfile
import urllib.parse
from importlib.metadata import version

import crawleruseragents
import extruct
from fake_useragent.utils import load as browsers
from linkpreview import Link, LinkPreview

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Attacks"))
from service import Service  # noqa: E402

HOST, SITE, CDN = "go.acme.test", "www.acme.test", "cdn.acme.test"
DEFAULT = {"title": "Acme & <Co>", "description": 'The "best" of Acme', "image": f"https://{CDN}/acme.png"}
TENANT = {
    "formatVersion": 1,
    "tenant": "acme",
    "settings": {
        "domains": [HOST, {"host": SITE, "serves": "association"}],
        "schemes": ["acme"],
        "destinations": {"hosts": [HOST, SITE, CDN], "schemes": ["acme"]},
        "apps": [
            {"id": "ios", "platform": "ios", "teamID": "ABCDE12345", "bundleID": "com.acme",
             "stores": [{"kind": "appStore", "id": "123456789"}]},
            {"id": "clip", "platform": "ios", "kind": "clip", "teamID": "ABCDE12345", "bundleID": "com.acme.Clip"},
            {"id": "android", "platform": "android", "package": "com.acme"},
        ],
    },
    "table": {
        "defaults": {"preview": DEFAULT, "fallback": {"web": f"https://{SITE}/"}},
        "routes": [
            {"id": "item", "path": "/item/{id:int}/{name}", "web": f"https://{SITE}/item/{{id}}", "open": {"screen": "Item"},
             "preview": {"title": "{name} at Acme", "description": "Item {id}: {name}", "image": f"https://{CDN}/{{id}}/{{name}}.png"}},
            {"id": "page", "path": "/page/{name}", "web": f"https://{SITE}/page", "preview": {"title": "{name}"}},
            {"id": "agent", "path": "/agent/{number:int}", "web": f"https://{SITE}/"},
            {"id": "short", "path": "/s/{code}", "follow": "shortLinks"},
        ],
    },
}
NAMES = [
    "shoes", "Zürich", "日本", "سلام", "👟", "a b", "<b>", "</title><script>alert(1)</script>", "\"'>&amp;", "{{x}} ${y}",
]
AGENTS = [
    "facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", "Twitterbot/1.0", "WhatsApp/2.23.20.0",
    "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", "TelegramBot (like TwitterBot)", "LinkedInBot/1.0",
]


class Differs(Exception):
    pass


def expect(what, found, wanted):
    if found != wanted:
        raise Differs(f"{what}: {found!r} instead of {wanted!r}")


#: What a path has without an escape.
PATH = "!$&'()*+,=:@"


def quoted(name):
    return urllib.parse.quote(name, safe="")


def cases():
    """The path of each link, its short link if there is one, and the preview."""
    for number, name in enumerate(NAMES):
        image = f"https://{CDN}/{number}/{urllib.parse.quote(name, safe=PATH)}.png"
        item = {"title": f"{name} at Acme", "description": f"Item {number}: {name}", "image": image}
        yield f"/item/{number}/{quoted(name)}", None, item
        yield f"/page/{quoted(name)}", None, {**DEFAULT, "title": name}
        target = f"https://{HOST}/item/{number}/{quoted(name)}"
        own = {"title": f"Sale: {name}", "image": f"https://{SITE}/{number}.png"}
        yield f"/s/own{number}", {"code": f"own{number}", "target": target, "preview": own}, {**item, **own}
        # A page without a route; its image may not be shown.
        target, own = f"https://{SITE}/elsewhere", {"description": f"{name}\nin two lines", "image": "https://evil.test/x.png"}
        wanted = {**DEFAULT, "description": own["description"]}
        yield f"/s/page{number}", {"code": f"page{number}", "target": target, "preview": own}, wanted


class Check:
    def __init__(self, binary):
        self.binary = binary
        self.service = Service(binary)
        self.connection = http.client.HTTPConnection(*self.service.public, timeout=30)

    def get(self, path, agent):
        """Returns the response to a click and its body."""
        self.connection.putrequest("GET", path, skip_host=True)
        self.connection.putheader("Host", HOST)
        self.connection.putheader("User-Agent", agent.encode())
        self.connection.endheaders()
        response = self.connection.getresponse()
        return response, response.read().decode()

    def run(self):
        self.write_tenant()
        count = 0
        for path, short, wanted in cases():
            if short:
                self.service.ask("admin", "/admin/v1/tenants/acme/short-links", json.dumps(short), **{"Content-Type": "application/json"})
            response, html = self.get(path, AGENTS[count % len(AGENTS)])
            expect(f"the response to {path}", (response.status, response.headers["Location"]), (200, None))
            self.read(path, html, wanted)
            count += 1
        print(f"{count} previews, read by linkpreview {version('linkpreview')} and extruct {version('extruct')}")
        expect("the status for a person", self.get("/item/7/shoes", browsers()[0]["useragent"])[0].status, 302)
        self.count_programs()
        expect("the exit status of the service", self.service.stop(), 0)

    def write_tenant(self):
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            json.dump(TENANT, file)
            file.flush()
            admin = f"http://127.0.0.1:{self.service.ports['admin']}"
            environment = {**os.environ, "FINGERPOST_SERVER": admin, "FINGERPOST_KEY": self.service.key}
            subprocess.run([self.binary, "apply", "-f", file.name], env=environment, check=True, stdout=subprocess.DEVNULL)

    @staticmethod
    def read(path, html, wanted):
        url = f"https://{HOST}{path}"
        preview = LinkPreview(Link(url, html))
        for reader in (preview, preview.opengraph, preview.twitter, preview.generic):
            found = {key: getattr(reader, key) for key in wanted if reader is not preview.generic or key != "image"}
            expect(f"{path}, {type(reader).__name__}", found, {key: wanted[key] for key in found})
        graph = dict(extruct.extract(html, base_url=url, syntaxes=["opengraph"])["opengraph"][0]["properties"])
        expect(f"{path}, extruct", {key: graph.get(f"og:{key}") for key in wanted}, wanted)
        expect(f"{path}, its own address", graph.get("og:url"), url)
        expect(f"{path}, elements", html.count("<script") + html.count("<b>"), 0)

    def count_programs(self):
        crawlers = [agent for entry in crawleruseragents.CRAWLER_USER_AGENTS_DATA for agent in entry.get("instances", [])]
        people = [entry["useragent"] for entry in browsers()]
        agents = crawlers + people
        for number, agent in enumerate(agents):
            self.get(f"/agent/{number}", agent)
        programs = self.programs()
        found = sum(number in programs for number in range(len(crawlers)))
        wrong = sum(number in programs for number in range(len(crawlers), len(agents)))
        share = found / len(crawlers)
        print(f"programs of crawler-user-agents {version('crawler-user-agents')}: {found} of {len(crawlers)} ({share:.1%})")
        print(f"browsers of fake-useragent {version('fake-useragent')} taken for programs: {wrong} of {len(people)}")
        expect("shares", (round(share, 2) >= 0.97, wrong), (True, 0))

    def programs(self):
        """The numbers of the clicks whose event has a class of programs."""
        numbers, after = set(), 0
        while True:
            path = f"/admin/v1/tenants/acme/events?after={after}&limit=1000"
            events = json.loads(self.service.ask("admin", path))["events"]
            if not events:
                return numbers
            after = events[-1]["seq"]
            numbers |= {event["parameters"]["number"] for event in events if event["route"] == "agent" and event["botClass"]}


def main():
    check = Check(sys.argv[1])
    try:
        check.run()
    except Differs as difference:
        print(difference)
        return 1
    finally:
        check.service.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
