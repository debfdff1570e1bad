"""Measures Fingerpost and alternatives, and prints a table: ./dev bench --help."""

import argparse
import json
import os
import signal
import sys

import client
import figures
import fleet
import latency
import links
import logs
import machine
import publishing
import routing
import starting
import stubs
import web
from servers import Scratch

SECTIONS = {
    "routing": routing.figures, "http": web.figures, "latency": latency.figures, "publish": publishing.figures,
    "links": links.figures, "append": logs.append, "export": logs.export, "start": starting.start, "memory": starting.memory,
    "client": client.figures, "stub": stubs.figures, "fleet": fleet.figures,
}


class Bench:
    """Passed to every section: the binaries, the options, and a scratch folder that is removed at the end."""

    def __init__(self, options, scratch):
        self.here = os.path.dirname(os.path.abspath(__file__))
        self.root = os.path.dirname(os.path.dirname(self.here))
        self.scratch = scratch
        binaries = os.path.abspath(options.binaries)
        self.service_binary = os.path.abspath(options.service or os.path.join(binaries, "fingerpost"))
        self.yardsticks_binary = os.path.join(binaries, "Yardsticks")
        self.routing_binary = os.path.join(binaries, "RoutingBench")
        self.log_binary = os.path.join(binaries, "LogBench")
        self.client_binary = os.path.join(binaries, "ClientBench")
        self.seconds, self.rounds, self.full = options.seconds, options.rounds, options.full
        self.events, self.routes = options.events, options.routes
        self.smoke = options.smoke
        if self.smoke:
            self.seconds, self.rounds, self.events, self.routes = 1, 1, 5_000, 1_000
        self._bodies = None

    def size(self, usual, full, smoke):
        """Returns the size of an input: by default, with --full, or with --smoke."""
        return smoke if self.smoke else full if self.full else usual

    def say(self, text):
        print(f"bench: {text}", file=sys.stderr, flush=True)

    def bodies(self):
        """A file with one body of POST /resolve per line. Every seventh link falls back, as in real traffic."""
        if self._bodies is None:
            self._bodies = self.scratch.path("bodies")
            with open(self._bodies, "w") as file:
                for number in range(1, 1_001):
                    path = f"/product/{'x' if number % 7 == 0 else ''}{number}"
                    file.write(
                        f'{{"url":"https://yourappdomain.com{path}?utm_source=mail","context":{{"platform":"ios"}}}}\n'
                    )
        return self._bodies


def arguments():
    parser = argparse.ArgumentParser(prog="./dev bench", description=__doc__)
    parser.add_argument("--binaries", required=True, help=argparse.SUPPRESS)
    parser.add_argument("--service", help="another build of fingerpost to measure")
    parser.add_argument("--only", action="append", choices=SECTIONS, metavar="NAME", help=f"one of {', '.join(SECTIONS)}; may be repeated")
    parser.add_argument("--seconds", type=float, default=5, help="duration of each measurement (5)")
    parser.add_argument("--rounds", type=int, default=3, help="rounds, each of which measures the programs in turn (3)")
    parser.add_argument("--full", action="store_true", help="use the sizes of the bounds; takes an hour")
    parser.add_argument(
        "--smoke", action="store_true", help="run every measurement once with small inputs; the figures mean nothing"
    )
    parser.add_argument("--events", type=int, default=1_000_000, help="events in the log of a start (1000000)")
    parser.add_argument("--routes", type=int, default=100_000, help="routes of the largest table (100000)")
    parser.add_argument("--scratch", help="a folder on the disk to measure (the folder for temporary files)")
    parser.add_argument("--json", metavar="FILE", help="write the figures to this file")
    parser.add_argument("--markdown", metavar="FILE", help="also write the table to this file")
    here = os.path.dirname(os.path.abspath(__file__))
    stored = os.path.join(here, "baseline.json")
    parser.add_argument(
        "--compare", nargs="?", const=stored, metavar="FILE", help="fail if a figure is a tenth worse than in a baseline"
    )
    parser.add_argument("--save-baseline", nargs="?", const=stored, metavar="FILE", help="store the ratios as the baseline")
    options = parser.parse_args()
    if options.smoke and (options.full or options.compare or options.save_baseline):
        parser.error("the figures of --smoke mean nothing: use it without --full, --compare and --save-baseline")
    return options


def main():
    options = arguments()
    # Handles SIGTERM like Ctrl-C, because a scratch folder ends its processes during cleanup.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    found, broken = [], []
    stored = figures.read_baseline(options.compare) if options.compare else None
    with Scratch(options.scratch) as scratch:
        bench = Bench(options, scratch)
        description = machine.describe(bench.root)
        for name in options.only or SECTIONS:
            try:
                for figure in SECTIONS[name](bench):
                    found.append(figure)
            except (SystemExit, OSError) as error:
                # Continues with the other sections, and prints what was measured.
                bench.say(f"{name} FAILED: {error}")
                broken.append(name)
    text = f"{machine.summary(description)}\n\n{figures.table(found)}\n"
    if options.smoke:
        print(f"{len(found)} figures; each part of the bench works." if not broken else text)
    else:
        print(text)
    if options.markdown:
        with open(options.markdown, "w") as file:
            file.write(text)
    if options.json:
        asked = {name: getattr(options, name) for name in ("only", "seconds", "rounds", "full", "events", "routes")}
        _write(options.json, description | {"options": asked, "figures": [figure.record() for figure in found]})
    if options.save_baseline:
        _write(options.save_baseline, description | {"figures": figures.baseline(found)})
    failed = [figure for figure in found if figure.holds is False]
    if failed and not options.smoke:
        print(f"{len(failed)} bounds do not hold: " + "; ".join(figure.name for figure in failed), file=sys.stderr)
    lost = [] if stored is None else figures.losses(found, stored)
    for line in lost:
        print(line)
    for name in broken:
        print(f"FAILED: {name}, see above")
    return 1 if lost or broken else 0


def _write(path, document):
    with open(path, "w") as file:
        json.dump(document, file, indent=1, ensure_ascii=False)
        file.write("\n")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
