"""Measured figures with the yardstick of the same run, their limits, and the comparison with a baseline."""

import json
from dataclasses import dataclass

#: Units that do not depend on the machine. The comparison uses the value itself for them, and the ratio for all others.
PORTABLE = ("instructions", "allocations", "bytes")
LOSS = 0.10


@dataclass
class Bound:
    """A limit for a figure's `value` or `ratio`: at least or at most `limit`."""

    of: str
    comparison: str
    limit: float

    def holds(self, figure):
        number = getattr(figure, self.of)
        return number >= self.limit if self.comparison == "≥" else number <= self.limit

    def text(self, figure):
        return f"{self.comparison} {self.limit:g}×" if self.of == "ratio" else f"{self.comparison} {shown(self.limit, figure.unit)}"


def at_least(ratio):
    return Bound("ratio", "≥", ratio)


def at_most(ratio):
    return Bound("ratio", "≤", ratio)


def value_at_most(value):
    return Bound("value", "≤", value)


@dataclass
class Figure:
    """`beside` names the yardstick, and `yardstick` is its value in the same unit.

    `better` is "lower" or "higher", or None if the yardstick is our own code or nothing of ours was measured. Such a
    ratio is not compared with a baseline, because it gets worse when the yardstick improves.
    """

    name: str
    value: float
    unit: str
    beside: str = ""
    yardstick: float = None
    ratio: float = None
    better: str = "lower"
    bound: Bound = None
    note: str = ""

    def __post_init__(self):
        if self.ratio is None and self.yardstick:
            self.ratio = self.value / self.yardstick

    @property
    def compared(self):
        """Returns the number that does not depend on the machine; None if there is none."""
        if self.better is None:
            return None
        return self.value if self.unit in PORTABLE else self.ratio

    @property
    def holds(self):
        return None if self.bound is None else self.bound.holds(self)

    def row(self):
        value = shown(self.value, self.unit) + (f" ({self.note})" if self.note else "")
        beside = self.beside + ("" if self.yardstick is None else f": {shown(self.yardstick, self.unit)}")
        ratio = "" if self.ratio is None else f"{self.ratio:.2f}×"
        bound, holds = ("", "") if self.bound is None else (self.bound.text(self), "yes" if self.holds else "**NO**")
        return f"| {self.name} | {value} | {beside} | {ratio} | {bound} | {holds} |"

    def record(self):
        record = {"name": self.name, "value": self.value, "unit": self.unit, "better": self.better}
        if self.yardstick is not None:
            record |= {"beside": self.beside, "yardstick": self.yardstick}
        if self.ratio is not None:
            record["ratio"] = self.ratio
        if self.bound is not None:
            record |= {"bound": self.bound.text(self), "holds": self.holds}
        return record | ({"note": self.note} if self.note else {})


def shown(value, unit):
    if unit in ("seconds", "ns", "µs"):
        seconds = value * {"seconds": 1, "ns": 1e-9, "µs": 1e-6}[unit]
        for factor, name in ((1, "s"), (1e3, "ms"), (1e6, "µs"), (1e9, "ns")):
            if seconds * factor >= 1 or name == "ns":
                return f"{seconds * factor:.3g} {name}"
    if unit == "×":
        return f"{value:.2f}×"
    number = f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"
    return number + ("/s" if unit == "a second" else f" {unit}")


def table(figures):
    head = "| what | figure | beside, in the same run | ratio | bound | holds |\n| --- | --- | --- | --- | --- | --- |"
    return "\n".join([head, *(figure.row() for figure in figures)])


def baseline(figures):
    """The stored figures: only ratios and counts, because absolute times differ between machines."""
    return {
        figure.name: {"number": float(f"{figure.compared:.4g}"), "better": figure.better}
        for figure in figures if figure.compared is not None
    }


def losses(figures, stored):
    """Returns a line for each figure that is more than 10 % worse than the baseline."""
    lines = []
    for figure in figures:
        before = stored.get(figure.name)
        if before is None or figure.compared is None:
            continue
        then, now = before["number"], figure.compared
        lost = now < then * (1 - LOSS) if before["better"] == "higher" else now > then * (1 + LOSS)
        if lost:
            unit = figure.unit if figure.unit in PORTABLE else "×"
            lines.append(f"LOST: {figure.name}: {shown(now, unit)}, in the baseline {shown(then, unit)}")
    return lines


def read_baseline(path):
    try:
        with open(path) as file:
            return json.load(file)["figures"]
    except FileNotFoundError:
        raise SystemExit(f"bench: there is no baseline {path}; --save-baseline stores one.") from None
