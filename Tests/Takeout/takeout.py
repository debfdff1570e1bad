"""Imports a generated Takeout file of Firebase Dynamic Links, and follows some of its links.

    takeout.py FINGERPOST ROWS

The file has all 29 columns, with quotes, line breaks and broken rows. The import may take two minutes and at most 100 MB more
memory than one of 1,000 rows, and a second import creates nothing. Exits with 1 at the first difference.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "Attacks"))
from service import Service  # noqa: E402

HEADER = [
    "Short link", "Deep link", "Android package name", "Android fallback link", "Android minimum version code",
    "iOS bundle ID", "iOS fallback link", "iOS custom scheme", "iPad fallback link", "iPad bundle ID", "App Store ID",
    "iOS minimum version", "Forced redirect", "Desktop fallback link", "Social title", "Social description",
    "Social image link", "utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "at", "ct", "mt", "pt",
    "Archived", "Link name", "Creation time",
]
HOST, WEBSITE = "go.acme.test", "www.acme.test"
TENANT = """
formatVersion: 1
tenant: acme
settings:
  domains: [{host: go.acme.test}, {host: www.acme.test, serves: association}]
  schemes: [acme]
  destinations: {hosts: [www.acme.test], schemes: [acme]}
  apps:
    - {id: ios, platform: ios, teamID: ABCDE12345, bundleID: com.acme}
    - id: android
      platform: android
      package: com.acme
      fingerprints:
        - "D9:6E:66:DE:11:71:05:FC:9B:69:30:AB:AB:FD:0F:12:72:4C:B0:C8:1A:A8:AE:0A:D4:EC:16:14:C8:D0:CB:6D"
table:
  routes:
    - {id: item, path: "/item/{id:int}", open: {screen: Item, arguments: {id: "{id}"}}, web: "https://www.acme.test/item/{id}"}
    - {id: links, path: "/{code}", follow: shortLinks}
"""
#: One row in so many is broken, each in another of seven ways.
BROKEN = 100
SECONDS, MEGABYTES = 120, 100


def row(number):
    return [
        f"https://{HOST}/t{number}", f"https://{WEBSITE}/item/{number}", "com.acme", f"https://{WEBSITE}/android", "12", "com.acme",
        f"https://{WEBSITE}/ios", "acme", f"https://{WEBSITE}/ipad", "com.acme.pad", "123456789", "2.0", "TRUE",
        f"https://{WEBSITE}/desktop", f'The "best" item, number {number}', f"First line\nsecond, with a \"quote\"\r\nthird é {number}",
        f"https://{WEBSITE}/image/{number}.png", "mail", "newsletter", f"campaign {number % 50}", "", "top", "11lABC", "spring",
        "8", "987", "TRUE" if number % 50 == 49 else "FALSE", f"Item {number}", "2021-05-01T12:33:44Z",
    ]


def write(path, rows):
    """Writes the file. Returns how many of its rows are broken. Links that end with 9 in 50 are archived."""
    broken = 0
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\r\n")
        out.writerow(HEADER)
        for number in range(rows):
            cells = row(number)
            if number % BROKEN == BROKEN - 2:
                way = broken % 7
                broken += 1
                if way == 0:
                    cells.pop()
                elif way == 1:
                    cells[1] = ""
                elif way == 2:
                    cells[1] = "javascript:alert(1)"
                elif way == 3:
                    cells[0] = f"https://{HOST}/two words"
                elif way == 4:
                    cells[1] = "https://www.evil.test/item/7"
                elif way == 5:
                    cells[26] = "perhaps"
                else:
                    file.write('"' + cells[0] + '"x,' + "," * 27 + "\r\n")
                    continue
            out.writerow(cells)
    return broken


class Differs(Exception):
    pass


def expect(what, found, wanted):
    if found != wanted:
        raise Differs(f"{what}: {found!r} instead of {wanted!r}")


class Check:
    def __init__(self, binary, scratch, rows):
        self.binary, self.scratch, self.rows = binary, scratch, rows
        self.service = Service(binary)

    def command(self, *arguments):
        """Returns exit status, output, seconds and the megabytes of memory of a command."""
        address = f"http://127.0.0.1:{self.service.ports['admin']}"
        out = os.path.join(self.scratch, "out")
        began = time.monotonic()
        with open(out, "w+", encoding="utf-8") as file:
            process = subprocess.Popen(
                [self.binary, *arguments], stdout=file,
                env={**os.environ, "FINGERPOST_SERVER": address, "FINGERPOST_KEY": self.service.key},
            )
            _, status, usage = os.wait4(process.pid, 0)
            # Otherwise, the object would wait for a process that has gone.
            process.returncode = os.waitstatus_to_exitcode(status)
            file.seek(0)
            return process.returncode, file.read(), time.monotonic() - began, usage.ru_maxrss / 1_024

    def write_tenant(self):
        path = os.path.join(self.scratch, "acme.yaml")
        with open(path, "w") as file:
            file.write(TENANT)
        expect("fingerpost apply", self.command("apply", "-f", path)[0], 0)

    def import_rows(self, rows):
        """Returns the report, the seconds and the megabytes of an import, and the number of broken rows."""
        path = os.path.join(self.scratch, f"{rows}.csv")
        broken = write(path, rows)
        status, printed, seconds, megabytes = self.command("links", "import", "acme", path, "--from", "firebase", "--json")
        expect("the status of an import with broken rows", status, 1 if broken else 0)
        report = json.loads(printed)
        expect("broken rows", report["failed"], broken)
        return report, seconds, megabytes, broken

    def run(self):
        self.write_tenant()
        few, _, before, _ = self.import_rows(1_000)
        report, seconds, megabytes, broken = self.import_rows(self.rows)
        expect("created links", few["created"] + report["created"], self.rows - broken)
        more = megabytes - before
        print(f"{self.rows:,} rows, {broken:,} of them broken: {seconds:.1f} s, {more:.0f} MB more than 1,000 rows")
        if seconds > SECONDS or more > MEGABYTES:
            raise Differs(f"the bounds are {SECONDS} seconds and {MEGABYTES} MB")
        lost = {column["column"] for column in report["lost"]}
        expect("a lost column is reported", "Desktop fallback link" in lost and "Deep link" not in lost, True)
        again = self.import_rows(self.rows)[0]
        expect("links of a second import", (again["created"], again["existing"]), (0, self.rows - broken))
        for number in (0, self.rows // 2 + 1, self.rows - 3):
            self.follow(number)
        expect("a click of an archived link", self.click(self.rows - 1), (410, None))
        expect("the exit status of the service", self.service.stop(), 0)

    def follow(self, number):
        """Follows an old link: a click, a resolution, and what both systems do."""
        link = f"https://{HOST}/t{number}"
        status, page = self.click(number)
        campaign = "utm_source=mail&utm_medium=newsletter&utm_campaign="
        expect(f"a click of {link}", (status, (page or "").startswith(f"https://{WEBSITE}/item/{number}?{campaign}")), (302, True))
        body = json.dumps({"url": link, "context": {"platform": "ios"}})
        answer = json.loads(self.service.ask("public", "/resolve", body, **{"Content-Type": "application/json"}))
        expect(f"the answer to {link}", (answer["outcome"], answer["route"]["id"]), ("matched", "item"))
        public = f"http://127.0.0.1:{self.service.ports['public']}"
        for platform in ("ios", "android"):
            printed = self.command("association", "simulate", "--server", public, link, "--platform", platform, "--json")[1]
            expect(f"{link} on {platform}", json.loads(printed)["decision"], "match")
        print(f"{link} leads to {page}, and opens the app on both systems")

    def click(self, number):
        """Returns the status and the page of a click."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.service.ports['public']}/t{number}", headers={"Host": HOST, "User-Agent": "Mozilla/5.0 (X11)"}
        )
        try:
            with urllib.request.build_opener(NoRedirects).open(request, timeout=30) as answer:
                return answer.status, None
        except urllib.error.HTTPError as error:
            return error.code, error.headers["Location"]


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def main():
    with tempfile.TemporaryDirectory(prefix="fingerpost-takeout.") as scratch:
        check = Check(sys.argv[1], scratch, int(sys.argv[2]))
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
