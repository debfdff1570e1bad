"""The log in process: appending, compared with SQLite and the same rows; exports, compared with sqlite3 and gzip."""

import os
import re
import sqlite3
import statistics
import time

from figures import Figure, at_least

BATCH = 1_024


def append(bench):
    """Appends batches of 1,024 events, each synced. SQLite writes the same rows in transactions of the same size,
    without index and counts."""
    folder = bench.scratch.path("appended")
    events = bench.size(200_000, full=2_000_000, smoke=5_000)
    bench.say(f"appending {events:,} events")
    printed = bench.scratch.run(bench.log_binary, "fill", folder, "--events", str(events), "--days", "2")
    seconds = float(re.search(r"appending: ([\d.]+) s", printed).group(1))
    days = [name for name in os.listdir(folder) if re.fullmatch(r"[\d-]+\.db", name)]
    copy = sum(_copy(os.path.join(folder, day), bench.scratch.path(f"copy-of-{day}")) for day in days)
    yield Figure(
        f"append events, batches of {BATCH:,}", events / seconds, "a second", "SQLite, the same rows, INSERT … SELECT",
        events / copy, better="higher",
    )


def _copy(source, destination):
    """Returns the elapsed seconds."""
    database = sqlite3.connect(destination, isolation_level=None)
    try:
        database.execute("PRAGMA journal_mode = WAL")
        database.execute("PRAGMA synchronous = FULL")
        database.execute("ATTACH ? AS source", (source,))
        (schema,) = database.execute("SELECT sql FROM source.sqlite_schema WHERE type = 'table' AND name = 'event'").fetchone()
        database.execute(schema)
        first, last = database.execute("SELECT min(seq), max(seq) FROM source.event").fetchone()
        start = time.perf_counter()
        for seq in range(first, last + 1, BATCH):
            database.execute("INSERT INTO main.event SELECT * FROM source.event WHERE seq BETWEEN ? AND ?", (seq, seq + BATCH - 1))
        return time.perf_counter() - start
    finally:
        database.close()


def export(bench):
    events = bench.size(500_000, full=2_000_000, smoke=5_000)
    # A round with a large log takes one to two minutes.
    rounds = min(2, bench.rounds)
    bench.say(f"exporting {events:,} events in each format, in {rounds} rounds")
    printed = bench.scratch.run(os.path.join(bench.here, "export.sh"), bench.log_binary, str(events), str(rounds))
    rows = [line.split() for line in printed.splitlines()[1:]]
    for name in ("ndjson", "csv"):
        measured = [[float(column) for column in row[2:]] for row in rows if row[0] == name]
        beside, rate, ratio, memory = (statistics.median(column) for column in zip(*measured))
        yield Figure(
            f"export as {name}", rate, "a second", "sqlite3 and gzip -6", beside, ratio=ratio, better="higher",
            bound=at_least(0.8), note=f"{memory:.0f} MB resident",
        )
