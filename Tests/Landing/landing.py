#!/usr/bin/env python3
"""landing.py PUBLIC ADMIN KEY [FOLDER]: opens the pages of a tenant in Chromium, and writes screenshots into FOLDER.

Each page is opened with the user agent of an app's browser, with and without script, light and dark, in English and Arabic.
A page may send no other request, break no Content-Security-Policy, and have no serious finding of axe. PUBLIC and ADMIN
are addresses of a service, KEY is a key for all tenants. Example:
Tests/Landing/landing.py http://127.0.0.1:8080 http://127.0.0.1:8081 fp_production_… screenshots
"""

import base64
import itertools
import json
import re
import struct
import sys
import urllib.request
import zlib
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

HOST, SECOND = "go.acme.test", "open.acme.test"
NAME = "Ācme & <Söhne>"
PAGE_BYTES = 14 << 10
IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)"
PIXEL = "Mozilla/5.0 (Linux; Android 15; Pixel 8 Build/AP4A.250205.002; wv) AppleWebKit/537.36 (KHTML, like Gecko) " \
    "Version/4.0 Chrome/137.0.7151.61 Mobile Safari/537.36"
# The page names each of these apps, except one whose browser is the system's.
APPS = {
    "Instagram": f"{IPHONE} Mobile/15E148 Instagram 382.0.0.30.86 (iPhone16,1; iOS 18_5; en_US; en; scale=3.00; 1179x2556)",
    "Facebook": f"{IPHONE} Mobile/22F76 [FBAN/FBIOS;FBAV/516.0.0.55.86;FBDV/iPhone16,1;FBSN/iOS;FBSV/18.5;FBLC/en_US]",
    "Messenger": f"{PIXEL} [FB_IAB/Orca-Android;FBAV/510.0.0.61.88;]",
    "Threads": f"{PIXEL} Barcelona 382.0.0.0.67 Android (35/15; 420dpi; 1080x2400; Google; Pixel 8; shiba; en_US)",
    "TikTok": f"{IPHONE} Mobile/15E148 musical_ly_39.8.0 JsSdk/2.0 NetType/WIFI Channel/App Store BytedanceWebview/d8a21c6",
    "X": f"{IPHONE} Version/18.5 Mobile/15E148 Safari/604.1 Twitter for iPhone/11.2",
    "LinkedIn": f"{IPHONE} Mobile/15E148 [LinkedInApp]/9.31.1120",
    "Snapchat": f"{IPHONE} Version/18.5 Mobile/15E148 Safari/604.1 Snapchat/13.42.0.41 (like Safari/8620.2.4, panda)",
    "Pinterest": f"{PIXEL} [Pinterest/Android]",
    "LINE": f"{IPHONE} Mobile/15E148 Safari Line/15.8.0",
    "KakaoTalk": f"{PIXEL} KAKAOTALK/25.4.0 (INAPP)",
    "WeChat": f"{IPHONE} Mobile/15E148 MicroMessenger/8.0.60(0x18003c2f) NetType/WIFI Language/en",
    "Telegram": f"{PIXEL} Telegram-Android/11.12.0 (Google Pixel 8; Android 15; SDK 35; HIGH)",
    "Google": f"{IPHONE} GSA/370.1.766113128 Mobile/15E148 Safari/604.1",
}
DESKTOP = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36"
MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15"


def png(width, height):
    """A PNG of one color."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + b"\xff\xc2\x20" * width) * height
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def publish(admin, key, accent):
    """A tenant whose accent is light or dark: the color of the text on it follows."""
    fingerprint = ":".join(["AB"] * 32)
    ios = {"id": "ios", "platform": "ios", "teamID": "ABCDE12345", "bundleID": "com.acme.app",
           "stores": [{"kind": "appStore", "id": "123456789"}]}
    android = {"id": "android", "platform": "android", "package": "com.acme.app", "fingerprints": [fingerprint],
               "stores": [{"kind": "playStore"}]}
    settings = {
        "domains": [HOST, SECOND], "schemes": ["acme"], "apps": [ios, android],
        "destinations": {"schemes": ["acme"], "hosts": ["www.acme.test"]},
        "brand": {"name": NAME, "logo": base64.b64encode(png(96, 96)).decode(), "accent": accent, "dark": "#7fd4ff"},
        "abuse": {"contact": "abuse@acme.test"},
    }
    item = {"id": "item", "path": "/item/{id:int}", "open": {"screen": "Item", "arguments": {"id": "{id}"}},
            "web": "https://www.acme.test/item/{id}"}
    # Only an app can answer this route.
    room = {"id": "room", "path": "/room/{id:int}", "open": {"screen": "Room"}}
    body = {"settings": settings, "table": {"routes": [item, room, {"id": "no", "path": "/no", "block": "Not allowed."}]}}
    request = urllib.request.Request(
        f"{admin}/admin/v1/tenants/acme/apply", json.dumps(body).encode(), method="POST",
        headers={"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
    with urllib.request.urlopen(request) as response:
        assert response.status in (200, 201), response.status


class Browser:
    def __init__(self, playwright, public, folder):
        address = public.removeprefix("http://")
        self.folder = folder
        self.count = 0
        self.browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=[
            "--no-sandbox", "--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable",
            f"--host-resolver-rules=MAP {HOST} {address},MAP {SECOND} {address},MAP * ~NOTFOUND",
            f"--unsafely-treat-insecure-origin-as-secure=http://{HOST}",
        ])

    def open(self, name, path, agent, status, check=None, *, script=True, dark=False, language="en", width=390):
        """Opens a page and checks what all pages have in common, then what `check` does with it."""
        what = f"{name}, {path}, {language}, {'dark' if dark else 'light'}, {'script' if script else 'no script'}"
        context = self.browser.new_context(
            user_agent=agent, java_script_enabled=script, color_scheme="dark" if dark else "light",
            extra_http_headers={"Accept-Language": language}, viewport={"width": width, "height": 844},
            permissions=["clipboard-read", "clipboard-write"] if script else [])
        try:
            page = context.new_page()
            requests, reports = [], []
            page.on("request", lambda request: requests.append(request.url))
            page.on("console", lambda message: reports.append(message.text))
            page.on("pageerror", lambda error: reports.append(str(error)))
            page.on("dialog", lambda dialog: (reports.append("a dialog"), dialog.dismiss()))
            session = context.new_cdp_session(page)
            session.on("Audits.issueAdded", lambda event: reports.append(json.dumps(event)))
            session.send("Audits.enable")
            # A tap leaves nothing: with this status, the page stays.
            page.route(lambda url: HOST not in url, lambda route: route.fulfill(status=204))
            response = page.goto(f"http://{HOST}{path}", wait_until="load")
            assert response.status == status, f"{what}: {response.status}"
            assert response.headers["content-type"] == "text/html; charset=utf-8", f"{what}: {response.headers}"
            html = response.text()
            sent = [url for url in requests if not url.startswith("data:")]
            assert len(sent) == 1, f"{what}: requests {sent}"
            # Chromium writes a failed response to the console, with or without a policy.
            reports = [text for text in reports if not text.startswith("Failed to load resource: the server responded")]
            assert not reports, f"{what}: {reports}"
            own = re.sub(r"data:[^\"]*|<svg.*?</svg>", "", html, flags=re.S)
            assert len(own.encode()) <= PAGE_BYTES, f"{what}: {len(own.encode())} bytes"
            self.check_look(what, page, language)
            if script:
                self.check_layout(what, page)
            if self.folder:
                kind = f"{'dark' if dark else 'light'}-{language}{'' if script else '-noscript'}"
                page.screenshot(path=self.folder / f"{name}{path.split('?')[0].replace('/', '-')}-{kind}.png")
            if check:
                check(page, what)
            self.count += 1
        finally:
            context.close()

    @staticmethod
    def check_look(what, page, language):
        root = page.locator("html")
        assert root.get_attribute("dir") == ("rtl" if language == "ar" else None), f"{what}: direction"
        assert root.get_attribute("lang") == language, f"{what}: language {root.get_attribute('lang')}"
        assert NAME in page.locator("body").inner_text(), f"{what}: the tenant's name is missing"
        assert page.locator("a[href='mailto:abuse@acme.test']").count() == 1, f"{what}: the contact is missing"
        for target in page.locator("main a.button:visible, main button:visible").all():
            assert target.bounding_box()["height"] >= 44, f"{what}: a small button"

    @staticmethod
    def check_layout(what, page):
        """What a script measures, also that of axe."""
        violations = [found for found in Axe().run(page).response["violations"] if found["impact"] in ("serious", "critical")]
        assert not violations, f"{what}: {json.dumps(violations, indent=1)}"
        size = page.viewport_size
        page.set_viewport_size({"width": 320, "height": size["height"]})
        widest = page.evaluate("document.documentElement.scrollWidth")
        assert widest <= 320, f"{what}: {widest} px wide"
        page.set_viewport_size(size)


def landing(app, agent, script, language):
    """The checks of the page that opens the app."""
    is_android = "Android" in agent

    def check(page, what):
        links = [link.get_attribute("href") for link in page.locator("main a").all()]
        main = page.locator("main a.main")
        assert main.count() == 1, f"{what}: {main.count()} main buttons"
        assert NAME in main.inner_text(), f"{what}: the button says {main.inner_text()}"
        href = main.get_attribute("href")
        if is_android:
            assert href.startswith("intent://") and ";package=com.acme.app;" in href and href.endswith(";end"), href
            assert ";scheme=https;" in href and ";S.browser_fallback_url=https" in href, href
        else:
            assert re.fullmatch(rf"https?://{SECOND}(:443)?/item/7\?x=.*", href), href
        store = "play.google.com" if is_android else "apps.apple.com"
        assert any(f"//{store}/" in link for link in links), f"{what}: no store in {links}"
        assert any(link.startswith("https://www.acme.test/item/7") for link in links), f"{what}: no page in {links}"
        if language == "en":
            assert app in page.locator("main").inner_text(), f"{what}: how to leave {app} is missing"
        # The link is text, in every slot.
        assert page.locator("main b").count() == 0, f"{what}: the link is markup"
        if script and not is_android:
            page.locator(f"main a[href*='{store}']").click(no_wait_after=True)
            for _ in range(100):
                copied = page.evaluate("navigator.clipboard.readText()")
                if copied:
                    break
            assert "/item/7" in copied, f"{what}: the store's button copied '{copied}'"

    return check


def main():
    public, admin, key = sys.argv[1:4]
    folder = Path(sys.argv[4]) if len(sys.argv) > 4 else None
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    hostile = "/item/7?x=%22%3E%3Cscript%3Ealert(1)%3C/script%3E%3Cb%3E"
    with sync_playwright() as playwright:
        browser = Browser(playwright, public, folder)
        for accent, (app, agent) in itertools.product(["#ffe600", "#3b0a45"], APPS.items()):
            if app == next(iter(APPS)):
                publish(admin, key, accent)
            for script, dark, language in itertools.product([True, False], [False, True], ["en", "ar"]):
                # The second accent is compared once for each app.
                if accent == "#3b0a45" and (not script or language == "ar"):
                    continue
                browser.open(app, hostile, agent, 200, landing(app, agent, script, language), script=script, dark=dark,
                             language=language)

        def has_code(page, what):
            assert page.locator("main svg").count() == 1, f"{what}: the QR code is missing"

        def has_both(page, what):
            assert page.locator("main a.main").count() == 1, f"{what}: the app's button is missing"

        for dark, language in itertools.product([False, True], ["en", "ar", "de", "ja"]):
            browser.open("desktop", "/room/7", DESKTOP, 200, has_code, dark=dark, language=language, width=1280)
            browser.open("mac", "/room/7", MAC, 200, has_both, dark=dark, language=language, width=1024)
            for path, status in [("/nothing", 404), ("/no", 403), ("/item/%00", 400)]:
                browser.open("desktop", path, DESKTOP, status, dark=dark, language=language)
        browser.browser.close()
        print(f"Chromium {browser.browser.version}: {browser.count} pages")


main()
