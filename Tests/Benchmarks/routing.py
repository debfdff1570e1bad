"""The engine in process: time, instructions, allocations, memory, compiling, and the JSON of messages."""

import json
import os
import re

from figures import Figure, at_most, value_at_most

#: The maximum instructions of a lookup among 130 routes.
INSTRUCTIONS = 1_500
GENERATED = (1_000, 10_000, 100_000, 1_000_000)
#: Operations on the JSON of messages, and their workloads.
MESSAGES = {
    "read a message's JSON": "read",
    "write a message's JSON": "write",
}


def figures(bench):
    inputs = _inputs(bench)
    largest = bench.size(bench.routes, full=1_000_000, smoke=bench.routes)
    sizes = [size for size in GENERATED if size <= largest]
    yield from _times(bench, inputs, sizes)
    yield from _counts(bench, inputs, [size for size in sizes if bench.full or size <= 100_000])
    yield from _compiling(bench, largest)


def _inputs(bench):
    routes = os.path.join(bench.root, "..", "shared", "data", "github-routes.tsv")
    if os.path.exists(routes):
        found = ["--routes", routes]
    else:
        bench.say(f"MISSING: {os.path.normpath(routes)}. 130 generated routes replace those of GitHub's API.")
        found = []
    return [*found, "--bodies", bench.bodies(), "--tenant", os.path.join(bench.root, "config/examples/shop.yaml")]


def _times(bench, inputs, sizes):
    names = ["github/parse", "github/lookup", "github/resolve", "github/miss", "github/conditions"]
    names += ["github/url", "github/dictionary"]
    names += [f"{size}/{work}" for size in sizes for work in ("lookup", "same")]
    names += [f"message/{work}" for work in ("read", "read-foundation", "write", "write-foundation")]
    bench.say(f"timing lookups in tables of up to {sizes[-1]:,} routes")
    output = bench.scratch.run(
        bench.routing_binary, "times", *inputs, "--seconds", str(min(0.5, bench.seconds / 10)), *names
    )
    times = {row["name"]: row["nanoseconds"] for row in map(json.loads, output.splitlines())}

    def beside(name, work, other, what, bound=None):
        return Figure(name, times[work], "ns", what, times[other], bound=bound)

    dictionary = "a dictionary of whole links"
    yield beside("parse a link", "github/parse", "github/url", "Foundation's URLComponents")
    yield beside("look up, 130 routes", "github/lookup", "github/dictionary", dictionary)
    yield beside("resolve, 130 routes", "github/resolve", "github/dictionary", dictionary)
    yield beside("resolve, 130 routes, a miss", "github/miss", "github/dictionary", dictionary)
    yield beside("resolve, 130 routes with conditions", "github/conditions", "github/dictionary", dictionary)
    for size in sizes[1:]:
        bound = at_most(1.5) if size == sizes[-1] else None
        yield beside(f"the same links, {size:,} routes", f"{size}/same", "1000/same", "1,000 routes", bound)
        yield beside(f"links of all of {size:,} routes", f"{size}/lookup", "1000/lookup", "1,000 routes")
    for name, work in MESSAGES.items():
        foundation = "message/write-foundation" if work == "write" else "message/read-foundation"
        yield beside(name, f"message/{work}", foundation, "Foundation's coder")


def _counts(bench, inputs, sizes):
    counted = {}
    names = ["github/lookup", "github/resolve", "github/miss", "github/parse", "github/conditions"]
    for name in [*names, *(f"message/{work}" for work in MESSAGES.values()), *(f"{size}/lookup" for size in sizes)]:
        bench.say(f"counting instructions of {name}")
        counted[name] = _count(bench, inputs, name)

    def instructions(name, work, bound=None):
        return Figure(name, counted[work][0], "instructions", bound=bound)

    yield instructions("look up, 130 routes, instructions", "github/lookup", value_at_most(INSTRUCTIONS))
    yield instructions("resolve, 130 routes, instructions", "github/resolve")
    yield instructions("resolve, 130 routes, a miss, instructions", "github/miss")
    yield instructions("resolve, 130 routes with conditions, instructions", "github/conditions")
    yield instructions("parse a link, instructions", "github/parse")
    for name, work in MESSAGES.items():
        yield instructions(f"{name}, instructions", f"message/{work}")
    for size in sizes[1:]:
        yield Figure(
            f"links of all of {size:,} routes, instructions", counted[f"{size}/lookup"][0], "instructions",
            "1,000 routes", counted["1000/lookup"][0], bound=at_most(1.5) if size == sizes[-1] else None,
        )
    yield Figure("resolve, 130 routes, a miss, allocations", counted["github/miss"][1], "allocations", bound=value_at_most(0))
    yield Figure("resolve, 130 routes, allocations", counted["github/resolve"][1], "allocations")


def _count(bench, inputs, name):
    """Returns the instructions and allocations of one operation."""
    # Valgrind cannot read Swift's debug information. Function names are in the symbol table, which remains.
    binary = bench.scratch.path("RoutingBench")
    if not os.path.exists(binary):
        bench.scratch.run("strip", "--strip-debug", "-o", binary, bench.routing_binary)
    output = bench.scratch.path("callgrind.out")
    # Randomly seeded hashes would change the count between processes.
    printed = bench.scratch.run(
        "valgrind", "--tool=callgrind", "--toggle-collect=*countedPass*", "--dump-instr=yes", "--compress-pos=no",
        f"--callgrind-out-file={output}",
        binary, "count", *inputs, "--links", "10000", name, SWIFT_DETERMINISTIC_HASHING="1",
    )
    operations = json.loads(printed.splitlines()[-1])["operations"]
    instructions, allocations = _read_callgrind(output)
    return instructions / operations, allocations / operations


def _read_callgrind(path):
    """Returns all instructions of a profile, and the number of calls of allocation functions.

    Callgrind's call counts include calls outside the collected pass; its instruction counts do not.
    """
    names, function, skips, total = {}, None, False, 0
    entries = {name: {} for name in ("malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc")}
    with open(path) as file:
        for line in file:
            if match := re.match(r"(c?fn)=\((\d+)\)(?: (\S+))?", line):
                if match.group(3):
                    names[match.group(2)] = match.group(3)
                if match.group(1) == "fn":
                    function = names[match.group(2)]
            elif line.startswith("calls="):
                skips = True
            elif line.startswith("0x"):
                # The line after `calls=` holds the cost of the callee.
                if not skips and function in entries:
                    address, *_, count = line.split()
                    counts = entries[function]
                    counts[int(address, 16)] = counts.get(int(address, 16), 0) + int(count)
                skips = False
            elif line.startswith("totals:"):
                total = int(line.split()[1])
    # A function's entry is its lowest address.
    return total, sum(counts[min(counts)] for counts in entries.values() if counts)


def _compiling(bench, count):
    bench.say(f"compiling {count:,} routes")
    result = json.loads(bench.scratch.run(bench.routing_binary, "compile", str(count)))
    complete = count == 1_000_000
    yield Figure(
        f"compile {count:,} routes", result["seconds"], "seconds", "a dictionary of their patterns",
        result["dictionarySeconds"], bound=value_at_most(3) if complete else None,
        note=f"after {result['readingSeconds']:.3g} s to read their JSON",
    )
    yield Figure(
        f"heap of a compiled route, of {count:,}", result["router"], "bytes", bound=value_at_most(500),
        note=f"mallinfo2; {result['table']:,.0f} more for the table it was read from; resident together {result['resident']:,.0f}",
    )
