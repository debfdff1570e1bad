"""Exports of a running server, read as folders by DuckDB or chDB: types, counts, gzip, and sums that match the
manifests.

    python Tests/Exports/readers.py FINGERPOST duckdb|chdb

Two servers run on one data directory, an hour apart by faketime, and record links of three tenants with texts that need
escaping. Each exports its window, one tenant as CSV. Python's gzip, json and csv read the files first, so that the
engines are compared with an independent reader. Exits with 0, or prints the differences.
"""

import csv
import glob
import gzip
import hashlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import urllib.request

HOSTILE = [
    "plain", "=1+1", "+1", "-1", "@x", 'a"b', "a,b", "a;b", "a'b", "50%25", "%09tab", "%C3%A9", "%F0%9F%A6%86", "null", "NULL",
    "true", "12", "0012", "1e5", "2026-11-21", "{}", "[]", "%5Cn", "%0",
]
HOURS = ["2026-11-21 10:20:00", "2026-11-21 11:20:00"]
DIFFERS = []


def expect(what, found, wanted):
    if found != wanted:
        DIFFERS.append(f"{what}: {found!r} instead of {wanted!r}")


class Server:
    """The demo on free ports, with its clock set by faketime."""

    def __init__(self, binary, data, time):
        self.data = data
        self.process = subprocess.Popen(
            ["faketime", "-f", "@" + time, binary, "serve", "--demo", "--data", data, "--public", "127.0.0.1:0",
             "--admin", "127.0.0.1:0", "--ops", "127.0.0.1:0"],
            stdout=subprocess.PIPE, text=True, env={**os.environ, "TZ": "UTC", "FINGERPOST_LOG_LEVEL": "error"},
        )
        self.addresses, self.key = {}, None
        for line in self.process.stdout:
            words = line.split()
            if len(words) == 2 and words[1].startswith("http://"):
                self.addresses[words[0]] = words[1]
            if "KEY=" in line:
                self.key = line.split("KEY=")[1].strip()
            # The first server prints its key after the addresses.
            if len(self.addresses) == 3 and (self.key or time != HOURS[0]):
                break
        if len(self.addresses) < 3:
            raise SystemExit("the server did not start")

    def ask(self, method, address, body=None, key=None):
        request = urllib.request.Request(address, method=method, data=None if body is None else json.dumps(body).encode())
        if key:
            request.add_header("Authorization", "Bearer " + key)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def stop(self):
        # faketime may be the parent of the server. The lock file holds the server's process id.
        os.kill(int(open(self.data + "/service/lock").read()), signal.SIGTERM)
        if self.process.wait(30) != 0:
            raise SystemExit(f"the server ended with {self.process.returncode}")


def links(hour):
    for number, text in enumerate(HOSTILE):
        yield f"yourapp://product/{number + 1}?utm_source={text}&utm_campaign=c{hour}"
        yield f"https://yourappdomain.com/nowhere/{text}"
        yield f"https://go.yourappdomain.com/product/{number + 1}"


def fill(binary, data):
    """Records two hours of three tenants. Returns the manifests."""
    key, manifests = None, []
    for hour, time in enumerate(HOURS):
        server = Server(binary, data, time)
        key = server.key or key
        tenants = server.addresses["admin"] + "/admin/v1/tenants"
        if hour == 0:
            settings = server.ask("GET", tenants + "/taxi/settings", key=key)
            settings = settings.get("settings", settings)
            settings["export"] = {"schedule": "off", "format": "csv"}
            server.ask("PUT", tenants + "/taxi/settings", settings, key)
        for number, link in enumerate(links(hour)):
            context = {"app": "ios", "platform": "ios", "appVersion": "3.2.0", "appBuild": number}
            server.ask("POST", server.addresses["public"] + "/resolve", {"url": link.replace(" ", "%20").replace('"', "%22"), "context": context})
        for number in range(40):
            server.ask("POST", server.addresses["public"] + "/resolve", {
                "url": f"https://farechoice.taxi/booking/a{number}",
                "clientEventId": HOSTILE[number % len(HOSTILE)],
                "context": {"locale": "de", "appVersion": '=1,"2"\r\n', "osVersion": f"{number}.0"},
            })
        for tenant in ["shop", "taxi", "blogs"]:
            manifest = server.ask("POST", f"{tenants}/{tenant}/exports", key=key)
            # An export without new rows is not stored.
            if hour == 0 or manifest["rows"]:
                manifests.append(manifest)
        server.stop()
    return manifests


def read(exports, manifest):
    """Reads a file's rows as dictionaries with Python alone. Also checks counts and checksums."""
    file = manifest.get("file")
    if file is None:
        expect(manifest["name"] + " rows", manifest["rows"], 0)
        return []
    with open(os.path.join(exports, file["path"]), "rb") as stream:
        packed = stream.read()
    raw = gzip.decompress(packed)
    expect(file["path"] + " bytes", len(packed), file["bytes"])
    expect(file["path"] + " rawBytes", len(raw), file["rawBytes"])
    expect(file["path"] + " sha256", hashlib.sha256(packed).hexdigest(), file["sha256"])
    expect(file["path"] + " rawSha256", hashlib.sha256(raw).hexdigest(), file["rawSha256"])
    if file["format"] == "csv":
        rows = list(csv.DictReader(io.StringIO(raw.decode(), newline="")))
    else:
        rows = [json.loads(line) for line in raw.decode().splitlines()]
    expect(file["path"] + " rows", len(rows), manifest["rows"])
    seqs = [int(row["seq"]) for row in rows]
    expect(file["path"] + " order", seqs, sorted(set(seqs)))
    expect(file["path"] + " window", all(manifest["window"]["firstSeq"] <= s <= manifest["window"]["lastSeq"] for s in seqs), True)
    times = [row["recordedAt"] for row in rows]
    expect(file["path"] + " times", (min(times), max(times)), (manifest["minRecordedAt"], manifest["maxRecordedAt"]))
    return rows


class DuckDB:
    def __init__(self):
        import duckdb

        self.name = "DuckDB " + duckdb.__version__
        self.connection = duckdb.connect()

    def source(self, exports, ending):
        files = f"{exports}/tenant=*/dt=*/hour=*/*.{ending}.gz"
        # Texts stay texts: today's locales or versions may all look like numbers.
        reader = "read_json" if ending == "ndjson" else "read_csv"
        return f"{reader}('{files}', hive_partitioning = true)"

    def rows(self, query):
        return self.connection.execute(query).fetchall()

    def types(self, source):
        return {name: kind for name, kind, *_ in self.rows(f"DESCRIBE SELECT * FROM {source}")}

    integer = "BIGINT"
    instants = {"TIMESTAMP", "TIMESTAMP WITH TIME ZONE"}


class ChDB:
    def __init__(self):
        import chdb

        self.name = "chDB " + chdb.__version__
        self.query = chdb.query

    def source(self, exports, ending):
        kind = "JSONEachRow" if ending == "ndjson" else "CSVWithNames"
        return f"file('{exports}/tenant=*/dt=*/hour=*/*.{ending}.gz', '{kind}')"

    def rows(self, query):
        settings = " SETTINGS use_hive_partitioning = 1, input_format_json_read_objects_as_strings = 1"
        lines = str(self.query(query + settings, "JSONCompactEachRow")).splitlines()
        return [tuple(json.loads(line)) for line in lines if line]

    def types(self, source):
        return {row[0]: re.sub(r"^Nullable\((.*)\)$", r"\1", row[1]) for row in self.rows(f"DESCRIBE TABLE {source}")}

    integer = "Int64"
    instants = {"DateTime64(9)", "DateTime64(3)", "DateTime", "DateTime64(9, 'UTC')"}


def compare(engine, exports, manifests, rows_of):
    for ending in ["ndjson", "csv"]:
        wanted = [row for m in manifests if m.get("file", {}).get("format") == ending for row in rows_of[m["name"]]]
        source = engine.source(exports, ending)
        types = engine.types(source)
        expect(f"{engine.name} {ending} columns", [c for c in types if c in wanted[0]][: len(wanted[0])], list(wanted[0]))
        for column in ["seq", "revision", "settingsRevision", "linkLength", "latencyMicros"]:
            expect(f"{engine.name} {ending} {column}", types[column], engine.integer)
        expect(f"{engine.name} {ending} recordedAt", types["recordedAt"] in engine.instants, True)
        [(count, total, lengths, distinct)] = engine.rows(
            f"SELECT count(*), sum(seq), sum(linkLength), count(DISTINCT id) FROM {source}"
        )
        found = tuple(int(number) for number in (count, total, lengths, distinct))
        sums = (len(wanted), sum(int(r["seq"]) for r in wanted), sum(int(r["linkLength"]) for r in wanted), len({r["id"] for r in wanted}))
        expect(f"{engine.name} {ending} sums", found, sums)
        # The folders are columns: one group per manifest with a file, with its number of rows.
        groups = engine.rows(f"SELECT tenant, CAST(dt AS VARCHAR), CAST(hour AS VARCHAR), count(*) FROM {source} GROUP BY 1, 2, 3 ORDER BY 1, 2, 3")
        expect(
            f"{engine.name} {ending} folders",
            [(t, str(d), int(h), int(n)) for t, d, h, n in groups],
            sorted(
                (m["tenant"], part(m, "dt"), int(part(m, "hour")), m["rows"])
                for m in manifests if m.get("file", {}).get("format") == ending
            ),
        )
        for column in ["outcome", "path", "utmSource", "clientEventId", "requestId"]:
            found = sorted((int(seq), str(text)) for seq, text in engine.rows(f"SELECT seq, {column} FROM {source} WHERE {column} IS NOT NULL"))
            texts = sorted((int(r["seq"]), r[column]) for r in wanted if r[column] not in (None, ""))
            expect(f"{engine.name} {ending} {column}", found, texts)


def part(manifest, name):
    return re.search(name + "=([^/]+)/", manifest["name"]).group(1)


def main():
    binary, engine = sys.argv[1], {"duckdb": DuckDB, "chdb": ChDB}[sys.argv[2]]()
    with tempfile.TemporaryDirectory(prefix="fingerpost-exports.") as data:
        manifests = fill(os.path.abspath(binary), data)
        exports = data + "/service/exports"
        rows_of = {manifest["name"]: read(exports, manifest) for manifest in manifests}
        stored = [json.load(open(path)) for path in glob.glob(exports + "/**/*.manifest.json", recursive=True)]
        expect("manifests", sorted(m["name"] for m in stored if m in manifests), sorted(m["name"] for m in manifests))
        expect("hours", {part(m, "hour") for m in manifests}, {"10", "11"})
        compare(engine, exports, manifests, rows_of)
    if DIFFERS:
        raise SystemExit("\n".join(line[:2_000] for line in DIFFERS))
    total = sum(len(rows) for rows in rows_of.values())
    print(f"{engine.name}: {total} rows of {len(manifests)} manifests, NDJSON and CSV, as Python reads them")


main()
