"""Three nodes give the same analytics, replay, erasure and exports as one node with SQLite that got the same requests.

equality.py FINGERPOST SOCKET_FOLDER SCRATCH LINKS: LINKS is a multiple of 100.
Exits with 1 and says what differs.
"""

import collections
import concurrent.futures
import glob
import gzip
import http.client
import json
import random
import re
import sys
import urllib.request

from node import Node, fail, within

PROGRAM, SOCKET, SCRATCH, LINKS = sys.argv[1:4] + [int(sys.argv[4])]
TENANT = "tenants/shop"
SETTINGS = {
    "domains": ["acme.example"], "destinations": {"hosts": ["acme.example", "www.acme.example"]},
    "apps": [{"id": "ios", "platform": "ios", "teamID": "ABCDE12345", "bundleID": "com.acme.app"}],
    "privacy": {"recordQuery": ["utm_campaign", "utm_source"], "recordInstall": True, "recordTraits": ["plan"], "unmatchedPath": "full"},
}
ITEM = {"id": "item", "path": "/item/{id}", "open": {"screen": "Item"}}
ROUTES = [
    ITEM,
    {"id": "help", "path": "/help/{page}", "web": "https://www.acme.example/pages"},
    {"id": "go", "path": "/s/{code}", "follow": "shortLinks"},
]
CODES = [f"code{number}" for number in range(40)]
INSTALLS = 2_000
WORKERS = 4
#: What depends on the node, its log, its process, or the time of the request.
ITS_OWN = ("seq", "id", "parent", "node", "requestId", "recordedAt", "occurredAt", "latencyMicros")
TIME = re.compile(r"\d{4}-\d\d-\d\dT[0-9:.]+Z")
STATISTICS = [
    "totals?by=route,outcome&purpose=live,test,prefetch&limit=1000", "totals?by=revision,action&limit=1000", "series?interval=day&by=outcome",
    "series?dimension=platform&value=ios&interval=day", "unmatched?limit=1000", "rejected", "short-links?limit=1000", "revisions?compare=1,2",
    *(f"top/{name}?limit=1000" for name in (
        "kind", "app", "platform", "osVersion", "appVersion", "country", "locale", "utmSource", "utmCampaign", "engineVersion",
        "disagreement", "appEngine", "result", "botClass", "referrerHost", "route", "outcome",
    )),
]


class Sender:
    """A connection to a node. A request that fails is a fault."""

    def __init__(self, node):
        self.connection = http.client.HTTPConnection(node.ports["public"], timeout=60)

    def __call__(self, method, path, body=None, headers=()):
        text = None if body is None else json.dumps(body)
        self.connection.request(method, path, text, {"Content-Type": "application/json", **dict(headers)})
        response = self.connection.getresponse()
        answer = response.read()
        if response.status not in (200, 302):
            fail(f"{method} {path} was answered with {response.status}: {answer[:300]}")
        return answer


def link(chance):
    kind = chance.random()
    campaign = f"?utm_campaign=c{chance.randrange(300)}&utm_source={chance.choice(['mail', 'social', 'shop'])}&secret=1"
    if kind < 0.6:
        return f"https://acme.example/item/{chance.randrange(5_000)}{campaign}"
    if kind < 0.7:
        return f"https://acme.example/help/{chance.choice(['returns', 'size', 'pay'])}"
    if kind < 0.85:
        return f"https://acme.example/s/{chance.choice(CODES)}"
    if kind < 0.95:
        return f"https://acme.example/nothing/{chance.randrange(400)}{campaign}"
    return chance.choice(["javascript:alert(1)", "https://acme.example/%zz", "https://acme.example/s/unknown"])


def context(chance):
    app = {"app": "ios", "platform": "ios", "osVersion": chance.choice(["17.4", "18.1"]), "appVersion": f"3.{chance.randrange(9)}"}
    return chance.choice([app, {"platform": "android"}, {}]) | {
        "stickyKey": f"install-{chance.randrange(INSTALLS)}", "country": chance.choice(["DE", "FR", "GB"]),
        "locale": [chance.choice(["de-DE", "fr-FR", "en-GB"])], "traits": {"plan": chance.choice(["free", "premium"])},
    }


def requests(number):
    """Yields requests, and for each the nodes that get it: the second one only for a report that an app sends twice."""
    chance = random.Random(number)
    first = number % 3
    body = {"links": [link(chance) for _ in range(100)], "context": context(chance)}
    if chance.random() < 0.1:
        body["purpose"] = chance.choice(["test", "prefetch"])
    yield [first], "POST", "/resolve", body, ()
    if chance.random() < 0.3:
        report = {
            "tenant": "shop", "app": "ios", "install": f"install-{chance.randrange(INSTALLS)}", "engineVersion": chance.choice(["1.0", "1.1"]),
            "events": [
                {
                    "clientEventId": f"{number}-{at}", "url": f"https://acme.example/item/{at}", "context": {"platform": "ios"}, "revision": 1,
                    "settingsRevision": 1, "outcome": "matched", "action": "open_app", "route": chance.choice(["item", "help"]), "result": "shown",
                }
                for at in range(10)
            ],
        }
        yield ([first, (first + 1) % 3] if chance.random() < 0.2 else [first]), "POST", "/_fp/events", report, ()


def send(part):
    """Sends a part of the requests, each to the single node and to one of the three, or two."""
    to_single, to_nodes = Sender(single), [Sender(node) for node in nodes]
    for number in range(part, LINKS // 100, WORKERS):
        for places, *request in requests(number):
            for place in places:
                to_single(*request)
                to_nodes[place](*request)


def same(what, single, nodes):
    if single != nodes:
        fail(f"{what} differs:\n  one node: {str(single)[:1000]}\n  three nodes: {str(nodes)[:1000]}")


def asked(node, method, path, body=None):
    status, answer = node.admin(method, f"{TENANT}/{path}", body, timeout=300)
    if status not in (200, 201):
        fail(f"{node.name} answered {method} {path} with {status}: {answer}")
    return answer


def counts(answer):
    """An answer without times and nodes, and with lists in an order of their own."""
    if isinstance(answer, list):
        return sorted((counts(item) for item in answer), key=json.dumps)
    if isinstance(answer, dict):
        return {
            name: counts(value) for name, value in sorted(answer.items())
            if name not in ("nodes", "samples") and not TIME.fullmatch(str(value))
        }
    return answer


def compare_statistics(when):
    for number, path in enumerate(STATISTICS):
        one, three = asked(single, "GET", f"stats/{path}"), asked(nodes[number % 3], "GET", f"stats/{path}")
        same(f"stats/{path} {when}", counts(one), counts(three))
        if path.startswith("totals?by=route") and one["count"] < 0.9 * LINKS:  # Some links have no tenant.
            fail(f"only {one['count']} events are counted")


def exported(nodes):
    """The rows in the exports of nodes, and how often there is each. A report that two nodes accepted is one row."""
    rows, reports = collections.Counter(), set()
    for node in nodes:
        for path in glob.glob(f"{node.data}/service/exports/**/*.ndjson.gz", recursive=True):
            for line in gzip.open(path, "rb"):
                row = json.loads(line)
                if row["purpose"] == "probe":
                    continue
                if row["clientEventId"]:
                    if row["clientEventId"] in reports:
                        continue
                    reports.add(row["clientEventId"])
                # The key of the hash is each catalog's own.
                row["install"] = row["install"] and len(row["install"])
                rows[hash(json.dumps([value for name, value in row.items() if name not in ITS_OWN]))] += 1
    return rows


def compare_exports(when):
    one, three = exported([single]), exported(nodes)
    if one != three:
        fail(f"exports differ {when}: {(one - three).total()} rows only of one node, {(three - one).total()} only of three")
    return one.total()


def shipped(node):
    with urllib.request.urlopen(node.addresses["ops"] + "/metrics") as answer:
        return re.search(r"^fingerpost_log_unshipped_rows 0(\.0)?$", answer.read().decode(), re.MULTILINE)


nodes = [Node(PROGRAM, SCRATCH, f"equal-{name}", [SOCKET], "equality").start() for name in "abc"]
single = Node(PROGRAM, SCRATCH, "single", [])
single.settings = {}
single.start()
single.make_key()
key = nodes[0].make_key()
for node in nodes:
    node.key = key
within(5, "the key is known everywhere", lambda: all(node.admin("GET", "tenants")[0] == 200 for node in nodes))
for node in (single, nodes[0]):
    asked(node, "PUT", "settings", SETTINGS)
    for routes in (ROUTES[:1] + ROUTES[2:], ROUTES):
        asked(node, "PUT", "draft", {"routes": routes})
        asked(node, "POST", "draft/publish", {"message": "m"})
    for code in CODES:
        asked(node, "POST", "short-links", {"code": code, "target": f"https://acme.example/item/{code}?utm_campaign={code}"})


def leads_to(url, route):
    """Whether all nodes lead a link to a route. Such probes are in no comparison."""
    answers = [node.resolve({"url": url, "purpose": "probe"})[1] for node in [single, *nodes]]
    return all((answer.get("route") or {}).get("id") == route for answer in answers)


within(5, "the table is live everywhere", lambda: leads_to("https://acme.example/help/x", "help"))
within(5, "the links are everywhere", lambda: leads_to(f"https://acme.example/s/{CODES[-1]}", "item"))
with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
    list(pool.map(send, range(WORKERS)))
within(300, "everything is shipped", lambda: all(shipped(node) for node in nodes))
compare_statistics("after all requests")

for node in (single, nodes[1]):
    asked(node, "PUT", "draft?draft=spring", {"routes": [{**ITEM, "open": {"screen": "Product"}}, *ROUTES[1:]]})
replays = [asked(node, "POST", "draft/replay?draft=spring", {"limit": 1_000_000, "sinceSeconds": 86_400}) for node in (single, nodes[2])]
same("the replay", *map(counts, replays))

for node in [single, *nodes]:
    asked(node, "POST", "exports")
rows = compare_exports("before an erasure")
if rows < 0.9 * LINKS:
    fail(f"the exports have {rows} rows")

install = next(requests(0))[3]["context"]["stickyKey"]
for node in (single, nodes[1]):
    asked(node, "POST", "erasures", {"stickyKey": install})
within(60, "the erasure is finished", lambda: all(erasure["finishedAt"] for erasure in asked(nodes[0], "GET", "erasures")["erasures"]))
left = compare_exports("after an erasure")
if left >= rows:
    fail("nothing was erased")
compare_statistics("after an erasure")
print(f"{rows} events of three nodes and of one: the same analytics, replay ({replays[0]['replayed']} links), and exports; {rows - left} erased alike")
for node in [single, *nodes]:
    node.stop()
