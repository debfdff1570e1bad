#!/usr/bin/env python3
"""console.py PROGRAM PUBLIC ADMIN KEY [--short | --pictures] [FOLDER]: does the console's tasks in Chromium, and writes screenshots into FOLDER.

Each task is done with script, without, and by keyboard alone, and may take at most its clicks or keys. A page may send no request
to another host, break no Content-Security-Policy, have no serious finding of axe, and be at most 100 KB. PUBLIC and ADMIN are the
addresses of a service's ports, KEY is a key for all tenants. Example:
Tests/Console/console.py .build/debug/fingerpost http://127.0.0.1:8080 http://127.0.0.1:8081 fp_production_… screenshots
"""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

PAGE_BYTES = 100 << 10
# The acts that each task took at most, and may take.
most = {}
published = []
offers = []
program, public, admin, key, *rest = sys.argv[1:]
is_short, is_pictures = "--short" in rest, "--pictures" in rest
folder = next((Path(word) for word in rest if not word.startswith("--")), None)


PAGES = ["routes", "routes/new", "routes/edit/item", "routes/publish", "routes/revisions", "routes/revisions/1", "links",
         "links/many", "numbers", "numbers/events", "numbers/unmatched", "setup/domains", "setup/apps", "setup/brand", "setup/settings",
         "setup/keys", "setup/exports", "setup/audit", "setup/retention", "setup/sessions", "setup/nodes"]


def fail(message):
    print("FAILED:", message, file=sys.stderr)
    sys.exit(1)


def check(is_good, message):
    if not is_good:
        fail(message)


def publish():
    """A tenant with routes of which one is near to a wrong link."""
    body = """
formatVersion: 1
tenant: acme
settings:
  domains: [go.acme.test]
  destinations: {schemes: [acme], hosts: [www.acme.test]}
  privacy: {unmatchedPath: full}
  schemes: [acme]
  apps:
    - {id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme.app}
table:
  defaults: {fallback: {web: "https://www.acme.test/"}}
  routes:
    - {id: home, path: /, open: {screen: Home}}
    - {id: item, path: "/item/{id:int}", open: {screen: Item, arguments: {id: "{id}"}}, web: "https://www.acme.test/item/{id}"}
    - {id: go, path: "/s/{code}", follow: shortLinks}
    - {id: blog, path: "/blog/{slug}", open: {screen: Post, arguments: {slug: "{slug}"}}}
"""
    file = Path(os.environ.get("TMPDIR", "/tmp")) / f"console-{os.getpid()}.yaml"
    file.write_text(body)
    environment = dict(os.environ, FINGERPOST_KEY=key, FINGERPOST_SERVER=admin)
    run = subprocess.run([program, "apply", "-f", file], env=environment, capture_output=True, text=True)
    file.unlink()
    check(run.returncode == 0, f"apply: {run.stdout}{run.stderr}")


def sign_in_link():
    environment = dict(os.environ, FINGERPOST_KEY=key)
    run = subprocess.run([program, "console", "open", "--server", admin], env=environment, capture_output=True, text=True)
    check(run.returncode == 0 and run.stdout.startswith(admin), f"console open: {run.stdout}{run.stderr}")
    return run.stdout.strip()


class Person:
    """Uses a page by mouse or by keyboard, and counts clicks, and keys that are no text."""

    def __init__(self, browser, has_script=True, by_keyboard=False, **options):
        self.context = browser.new_context(java_script_enabled=has_script, **options)
        self.page = self.context.new_page()
        self.by_keyboard = by_keyboard
        self.has_script = has_script
        self.acts = 0
        self.page.on("request", self.requested)
        self.page.on("console", self.said)
        self.page.on("response", self.answered)

    def requested(self, request):
        check(request.url.startswith(admin + "/console"), f"a page asks for {request.url}")

    def said(self, message):
        # The landing page beside the brand may not run its script.
        is_expected = "status of" in message.text or "/setup/landing?" in message.text
        check(message.type not in ("error", "warning") or is_expected, f"a page says: {message.text}")

    def answered(self, response):
        length = int(response.headers.get("content-length", 0))
        check(length <= PAGE_BYTES, f"{response.url} has {length} bytes")

    def press(self, name):
        """Presses the button or follows the link with this name."""
        found = self.page.get_by_role("button", name=name, exact=True).or_(self.page.get_by_role("link", name=name, exact=True))
        check(found.count() == 1, f"there are {found.count()} of '{name}' at {self.page.url}")
        self.acts += 1
        if self.by_keyboard:
            self.go_to(found)
            self.wait_for_page(lambda: self.page.keyboard.press("Enter"))
        else:
            self.wait_for_page(found.click)

    def wait_for_page(self, act):
        """Acts, and waits for the page that follows, or its content."""
        def is_page(response):
            return response.request.resource_type in ("document", "fetch") and not 300 <= response.status < 400

        with self.page.expect_response(is_page):
            act()
        self.page.wait_for_load_state()
        self.page.locator("main:not([aria-busy])").wait_for()

    def go_to(self, target):
        """Moves the focus as Tab does, which must reach every control."""
        for _ in range(60):
            if target.evaluate("element => element === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        fail(f"Tab does not reach {target} at {self.page.url}")

    def write(self, label, text):
        field = self.page.get_by_label(label, exact=True)
        if self.by_keyboard:
            self.go_to(field)
            self.page.keyboard.press("Control+a")
            self.page.keyboard.type(text)
        else:
            field.fill(text)

    def enter(self):
        self.acts += 1
        self.wait_for_page(lambda: self.page.keyboard.press("Enter"))


def why_did_this_link_go_there(person):
    """Two acts from the first page of a person who has signed in."""
    person.page.goto(sign_in_link())
    person.press("Sign in")
    check(person.page.url == admin + "/console", person.page.url)
    person.acts = 0
    person.press("acme")
    if person.by_keyboard and person.has_script:
        person.page.evaluate("document.activeElement.blur()")
        person.page.keyboard.press("/")
        person.page.keyboard.type("https://go.acme.test/item/x")
    else:
        person.write("Link", "https://go.acme.test/item/x")
    person.enter()
    at_most(person, 2, "why did this link go there")
    text = person.page.locator("main").inner_text()
    check("fallback" in text and "segment 2 {id}: 'x', expected int" in text, f"the answer does not say why: {text}")
    check({"{id:int}", "x"} <= set(person.page.locator(".failing").all_inner_texts()), "the failing parts are not marked")
    # The address is the question.
    url = person.page.url
    check(urllib.parse.parse_qs(urllib.parse.urlsplit(url).query)["link"] == ["https://go.acme.test/item/x"], url)
    person.page.goto(url)
    check(person.page.locator("main").inner_text() == text, "the same address has another answer")


def sign_in_with_a_key(person):
    """A lost session returns to the same page and form."""
    question = f"{admin}/console/acme/try?link=https%3A%2F%2Fgo.acme.test%2Fitem%2F7&platform=android"
    person.page.goto(question)
    person.write("Key", "fp_production_wrong")
    person.press("Sign in")
    check("unknown to this server" in person.page.get_by_role("alert").inner_text(), "a wrong key is not named")
    person.write("Key", key)
    person.press("Sign in")
    check(person.page.url == question, f"signing in led to {person.page.url}")
    check("opens the app" in person.page.locator("main").inner_text(), "the link does not open the app")
    person.press("Sign out")
    person.page.goto(question)
    check("/console/sign-in" in person.page.url, "the session did not end")


def start(person):
    """Signs in, and goes to the tenant's first page."""
    person.page.goto(sign_in_link())
    person.press("Sign in")
    person.press("acme")
    person.acts = 0


def at_most(person, acts, task):
    check(person.acts <= acts, f"{task} took {person.acts} acts instead of {acts}")
    if task not in most or person.acts > most[task][0]:
        most[task] = (person.acts, acts)


def main_text(person):
    return person.page.locator("main").inner_text()


def write_route(person, text):
    person.write("The route as YAML", text)
    person.press("Save in the draft")


def publish_a_draft(person):
    number = len(published)
    start(person)
    person.press("Routes")
    person.press("item")
    text = person.page.get_by_label("The route as YAML").input_value()
    check("path: /item/{id:int}" in text, text)
    write_route(person, "path: /item/{id:foo}")
    check("is not a type" in main_text(person) and person.page.url.endswith("/routes/edit/item"), main_text(person))
    check(person.page.get_by_label("The route as YAML").input_value().strip() == "path: /item/{id:foo}", "the text is lost")
    write_route(person, text.replace("screen: Item", f"screen: Item{number}") if number else text + "tags: [shop]\n")
    check("The draft has this route now" in main_text(person), main_text(person))
    person.page.goto(admin + "/console/acme/try")
    person.acts = 0
    person.press("Routes")
    person.press("Publish")
    check("'item'" in main_text(person), f"the plan does not name the change: {main_text(person)}")
    person.write("Message", f"change {number}")
    person.press("Publish")
    at_most(person, 3, "publish a passed draft")
    check("is live now" in main_text(person) and f"change {number}" in main_text(person), main_text(person))
    published.append(number)


def who_changed_this_route(person):
    start(person)
    person.press("Routes")
    person.press("item")
    at_most(person, 2, "who changed this route")
    text = main_text(person)
    check("Who changed it" in text and "changed by demo in revision" in text, text)


def roll_back(person):
    start(person)
    person.press("Routes")
    person.press("Revisions")
    before = main_text(person)
    person.press("Roll back to 1")
    at_most(person, 3, "roll back")
    check("is live now" in main_text(person) and main_text(person) != before, main_text(person))
    # Back again for the next person, from the same list.
    person.press("2")
    check("a rollback to it" in main_text(person), main_text(person))
    person.press("Roll back")


def remove_and_undo(person):
    start(person)
    person.page.goto(admin + "/console/acme/routes/edit/blog")
    person.press("Remove")
    check("has no route blog any more" in main_text(person), main_text(person))
    person.press("Undo")
    check(person.page.url.split("?")[0].endswith("/routes/edit/blog"), person.page.url)
    person.page.goto(admin + "/console/acme/routes/publish")
    check("has no changes" in main_text(person), f"an undone removal changes something: {main_text(person)}")


def short_link_with_qr(person):
    start(person)
    person.press("Links")
    person.write("Target of the new link", "https://go.acme.test/item/7")
    person.press("Create")
    at_most(person, 4, "short link with QR")
    image = person.page.get_by_role("img", name=re.compile("QR code"))
    check(image.evaluate("image => image.complete && image.naturalWidth > 0"), "there is no QR code")
    link = person.page.get_by_role("heading", level=1).inner_text()
    check(link.startswith("https://go.acme.test/s/"), link)
    person.press("Archive")
    check("archived" in main_text(person), main_text(person))
    person.press("Restore")
    check("active" in main_text(person), main_text(person))


def links_from_lines(person):
    start(person)
    person.page.goto(admin + "/console/acme/links/many")
    text = "target,code,tags\nhttps://go.acme.test/item/1,many-1,mail\nhttps://elsewhere.test/,many-2,\n"
    person.page.locator("textarea").fill(text)
    person.press("Create the links")
    said = main_text(person)
    check(("created" in said or "exists" in said) and "many-2" in said, said)
    check(person.page.locator("textarea").input_value() == text, "the lines are lost")


def route_out_of_an_unmatched_shape(person):
    start(person)
    path = f"/offer/{len(offers)}x/7"
    offers.append(path)
    body = json.dumps({"url": "https://go.acme.test" + path, "context": {"platform": "ios"}}).encode()
    urllib.request.urlopen(urllib.request.Request(public + "/resolve", body, {"Content-Type": "application/json"})).read()
    person.press("Numbers")
    person.acts = 0
    for _ in range(50):
        person.press("Unmatched")
        if "/offer" in main_text(person):
            break
        person.acts = 0
        person.page.goto(admin + "/console/acme/numbers")
    row = person.page.get_by_role("row").filter(has_text="/offer").first
    row.get_by_role("link", name="Make a route").focus()
    person.acts += 1
    person.wait_for_page(lambda: person.page.keyboard.press("Enter"))
    text = person.page.get_by_label("The route as YAML").input_value()
    check("path: /offer" in text, text)
    person.press("Save in the draft")
    if "already" not in main_text(person):
        at_most(person, 3, "route out of an unmatched shape")
        check("The draft has this route now" in main_text(person), main_text(person))
    person.page.goto(admin + "/console/acme/routes/publish")
    person.press("Discard the draft")


def an_event_is_explained(person):
    start(person)
    person.press("Numbers")
    person.page.goto(admin + "/console/acme/numbers/events")
    person.page.get_by_role("link", name="Explain").first.click()
    check("The answer" in main_text(person) or "Why" in main_text(person), main_text(person))


def a_key_is_made(person):
    start(person)
    person.press("Setup")
    person.press("Keys")
    person.press("New key")
    person.write("Name, which says whose key it is", "colleague")
    person.page.get_by_label("tables:read", exact=True).check()
    person.press("Make the key")
    made = re.search(r"fp_[A-Za-z0-9_]+", main_text(person))
    check(made, f"the key is not shown: {main_text(person)}")
    person.press("Sessions")
    check("demo" in main_text(person), main_text(person))


def settings_with_a_mistake(person):
    start(person)
    person.page.goto(admin + "/console/acme/setup/settings")
    field = person.page.locator("textarea")
    text = field.input_value()
    wrong = text.replace("platform: ios", "platform: ois", 1)
    field.fill(wrong)
    person.press("Save")
    check("ois" in main_text(person) and field.input_value() == wrong, f"the text is lost, or its mistake not named: {main_text(person)}")
    field.fill(text)
    person.press("Save")


def hostile_texts(browser):
    """What others typed is only text."""
    person = Person(browser)
    start(person)
    evil = '"><script>document.title="evil"</script>{{{x}}}<img src=x onerror=alert(1)>'
    person.page.goto(admin + "/console/acme/links")
    person.write("Target of the new link", "https://go.acme.test/item/7")
    person.page.get_by_text("Title, tags, campaign").click()
    person.write("Title", evil)
    person.write("Note for colleagues", evil)
    person.press("Create")
    check(person.page.get_by_label("Title", exact=True).input_value() == evil, "the title was changed")
    check(person.page.locator("main script, main img[onerror]").count() == 0, "a title became HTML")
    body = json.dumps({"url": "https://go.acme.test/" + urllib.parse.quote(evil), "context": {"locale": "en"}}).encode()
    headers = {"Content-Type": "application/json", "User-Agent": evil, "Referer": "https://x.test/" + urllib.parse.quote(evil)}
    urllib.request.urlopen(urllib.request.Request(public + "/resolve", body, headers)).read()
    for path in ("numbers", "numbers/events", "numbers/unmatched", "links", "setup/audit"):
        person.page.goto(f"{admin}/console/acme/{path}")
        check(person.page.locator("main script, main img[onerror]").count() == 0, f"a text became HTML at {path}")
    check("evil" not in person.page.title(), "a script ran")
    person.context.close()


def two_editors(browser):
    """Both change a route; the later one sees both texts, and loses none."""
    one, two = Person(browser), Person(browser)
    for person in (one, two):
        start(person)
        person.page.goto(admin + "/console/acme/routes/edit/home")
    write_route(one, "id: home\npath: /\nopen:\n  screen: First\n")
    write_route(two, "id: home\npath: /\nopen:\n  screen: Second\n")
    text = main_text(two)
    check("Somebody has changed the draft meanwhile" in text and "screen: First" in text, text)
    check("screen: Second" in two.page.get_by_label("The route as YAML").input_value(), "the second text is lost")
    two.press("Save in the draft")
    check("The draft has this route now" in main_text(two), main_text(two))
    one.page.goto(admin + "/console/acme/routes/publish")
    one.press("Discard the draft")
    check("The draft is gone" in main_text(one), main_text(one))
    one.press("Undo")
    check("Second" in main_text(one) or "home" in main_text(one), main_text(one))
    one.press("Discard the draft")
    one.context.close()
    two.context.close()


def a_session_that_ended(browser):
    """What was typed is sent after signing in again."""
    person = Person(browser)
    start(person)
    person.page.goto(admin + "/console/acme/routes/edit/blog")
    headers = {"Authorization": f"Bearer {key}"}
    with urllib.request.urlopen(urllib.request.Request(admin + "/admin/v1/sessions", headers=headers)) as answer:
        for session in json.load(answer)["sessions"]:
            path = f"{admin}/admin/v1/sessions/{session['id']}"
            urllib.request.urlopen(urllib.request.Request(path, headers=headers, method="DELETE")).read()
    write_route(person, "id: blog\npath: /blog/{slug}\nopen:\n  screen: Kept\n")
    check("Your session has ended" in main_text(person), main_text(person))
    person.write("Key", key)
    person.press("Sign in")
    person.press("Send it again")
    check("screen: Kept" in person.page.get_by_label("The route as YAML").input_value(), "the text was lost")
    person.page.goto(admin + "/console/acme/routes/publish")
    person.press("Discard the draft")
    person.context.close()


class Service:
    """A service of its own, which can be killed and started again at the same address."""

    def __init__(self, folder):
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.admin = f"http://127.0.0.1:{free.getsockname()[1]}"
        self.key = None
        self.start("--demo")

    def start(self, *flags):
        ports = ["--public", "127.0.0.1:0", "--admin", self.admin[7:], "--ops", "127.0.0.1:0"]
        log = open(f"{self.folder}/log", "a")
        self.process = subprocess.Popen([program, "serve", *flags, "--data", f"{self.folder}/data", *ports], stdout=subprocess.PIPE,
                                        stderr=log, text=True)
        for line in self.process.stdout:
            if "FINGERPOST_KEY=" in line:
                self.key = line.split("=")[1].strip()
            # The key is after the addresses.
            if "FINGERPOST_KEY=" in line or not flags and line.startswith("ops "):
                return
        fail(f"the service did not start: {Path(self.folder, 'log').read_text()[-2000:]}")

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def get(self, path):
        request = urllib.request.Request(self.admin + path, headers={"Authorization": f"Bearer {self.key}"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)


def killed_while_publishing(browser):
    """SIGKILL at any moment of a publication: the page says which revision is live."""
    global admin
    with tempfile.TemporaryDirectory() as scratch:
        service = Service(scratch)
        others, admin = admin, service.admin
        lost = 0
        for attempt in range(6):
            person = Person(browser)
            # The browser says that the server is away.
            person.page.remove_listener("console", person.said)
            person.page.goto(f"{admin}/console/sign-in?next=/console/shop/routes/edit/home")
            person.write("Key", service.key)
            person.press("Sign in")
            write_route(person, f"id: home\nowner: app\npath: /\nopen:\n  screen: Home{attempt}\n")
            person.page.goto(admin + "/console/shop/routes/publish")
            delay = random.uniform(0, 0.1)

            def kill(request):
                if request.method == "POST":
                    time.sleep(delay)
                    service.kill()

            person.page.on("request", kill)
            person.page.get_by_role("button", name="Publish", exact=True).click()
            # Either the answer arrived before the signal, or the connection was lost.
            person.page.get_by_text(re.compile("The connection was lost|is live now")).first.wait_for()
            service.start()
            told = person.page.get_by_text(re.compile("The answer to the last change was lost|is live now"))
            told.first.wait_for(timeout=20000)
            live = service.get("/admin/v1/tenants/shop/revisions?limit=1")["revisions"][0]["revision"]
            text = main_text(person)
            check(f"Revision {live} is live" in text, f"revision {live} is live, but the page says {text}")
            routes = service.get("/admin/v1/tenants/shop/table")["routes"]
            is_live = any(route["id"] == "home" and route["open"]["screen"] == f"Home{attempt}" for route in routes)
            lost += is_live
            check(is_live == ("has no changes" in text or "is live now" in text), f"the change is live: {is_live}; {text}")
            person.context.close()
        service.kill()
        admin = others
    print(f"SIGKILL during 6 publications: {lost} were live then, and each page told so")


def look(browser):
    """Each page at three widths, light and dark."""
    axe = Axe()
    looks = [(width, scheme) for width in (320, 768, 1440) for scheme in ("light", "dark")]
    for width, scheme in [(320, "light"), (1440, "dark")] if is_short else looks:
        person = Person(browser, viewport={"width": width, "height": 900}, color_scheme=scheme)
        pages = [("sign-in", "/console/sign-in"), ("open", None), ("tenants", "/console"), ("try", "/console/acme/try"),
                 ("match", "/console/acme/try?link=https%3A%2F%2Fgo.acme.test%2Fitem%2F7"),
                 ("miss", "/console/acme/try?link=https%3A%2F%2Fgo.acme.test%2Fitem%2Fx&table=live&with=1"),
                 ("mistake", "/console/acme/try?link=x&table=nonsense"), ("missing", "/console/nobody/try?link=x")]
        pages += [(path.replace("/", "-"), f"/console/acme/{path}") for path in PAGES]
        for name, path in pages:
            person.page.goto(admin + path if path else sign_in_link())
            look_at(person, axe, f"{name}-{width}-{scheme}")
            if name == "open":
                person.press("Sign in")
        person.context.close()


def look_at(person, axe, name):
    wide = person.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    check(wide <= 0, f"{name} is {wide} px too wide")
    found = axe.run(person.page).response["violations"]
    serious = [f"{it['id']}: {[node['html'] for node in it['nodes']]}" for it in found if it["impact"] in ("serious", "critical")]
    check(not serious, f"{name}: {serious}")
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
        person.page.screenshot(path=folder / f"{name}.png", full_page=True)


def take_pictures(browser):
    """Those of docs/console.md and of the README, with links that people could have opened."""
    links = ["https://yourappdomain.com/product/123", "https://yourappdomain.com/user/7", "https://yourappdomain.com/product/abc",
             "https://yourappdomain.com/sale/summer-24/7", "https://yourappdomain.com/legal/terms", "yourapp://product/9"]
    for number, link in enumerate(links * 4):
        context = {"platform": ("ios", "android")[number % 2], "country": ("GB", "FR", "DE")[number % 3]}
        body = json.dumps({"url": link, "context": context}).encode()
        urllib.request.urlopen(urllib.request.Request(public + "/resolve", body, {"Content-Type": "application/json"})).read()
    person = Person(browser, viewport={"width": 1100, "height": 720}, color_scheme="light")
    start(person)
    person.page.goto(admin + "/console/shop/routes/new")
    write_route(person, 'id: go\npath: "/s/{code}"\nfollow: shortLinks\n')
    person.page.goto(admin + "/console/shop/routes/publish")
    person.write("Message", "Short links")
    person.press("Publish")
    person.page.goto(admin + "/console/shop/links")
    person.write("Target of the new link", "https://yourappdomain.com/product/123")
    person.write("Code (random without)", "spring")
    person.press("Create")
    person.page.goto(admin + "/console/shop/routes/edit/product")
    text = person.page.get_by_label("The route as YAML").input_value()
    write_route(person, text.replace("ProductDetail", "Product"))
    for name, path in [("try", "try?link=https%3A%2F%2Fyourappdomain.com%2Fproduct%2Fabc"), ("link", "links/spring"),
                       ("numbers", "numbers"), ("route", "routes/edit/product"), ("publish", "routes/publish"),
                       ("unmatched", "numbers/unmatched")]:
        person.page.goto(f"{admin}/console/shop/{path}")
        folder.mkdir(parents=True, exist_ok=True)
        person.page.screenshot(path=folder / f"console-{name}.png")
    person.context.close()


publish()
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
    if is_pictures:
        take_pictures(browser)
        browser.close()
        sys.exit()
    people = [(True, False)] if is_short else [(True, False), (False, False), (True, True), (False, True)]
    # With a count of clicks.
    counted = (why_did_this_link_go_there, short_link_with_qr, publish_a_draft, route_out_of_an_unmatched_shape, roll_back,
               who_changed_this_route)
    others = (sign_in_with_a_key, remove_and_undo, links_from_lines, an_event_is_explained, a_key_is_made, settings_with_a_mistake)
    for task in counted + others:
        for has_script, by_keyboard in people:
            person = Person(browser, has_script, by_keyboard)
            try:
                task(person)
            except Exception as error:
                fail(f"{task.__name__}, script {has_script}, keyboard {by_keyboard}: {error}\n{person.page.url}\n{main_text(person)}")
            person.context.close()
        print(task.__name__, flush=True)
    two_editors(browser)
    hostile_texts(browser)
    a_session_that_ended(browser)
    if not is_short:
        killed_while_publishing(browser)
    look(browser)
    browser.close()
for task, (acts, limit) in most.items():
    print(f"{task}: {acts} of {limit} clicks or keys")
print(f"the tasks for {len(people)} kinds of people, and {8 + len(PAGES)} pages at 3 widths, light and dark")
