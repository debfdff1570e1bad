#!/usr/bin/env python3
"""Compares the metric names in the rules and the dashboard with existing ones: check-metrics.py [LIVE]

LIVE is a server's answer to GET /metrics. Every name must be in docs/operations.md, and either in LIVE or among the
metrics that exist only after certain events. For a histogram, its _bucket, _sum and _count are known.
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
NAMES = re.compile(r"(?<![:\w])(?:fingerpost|process)_[a-z0-9_]+")

# A new server has no refusals, dropped rows, exports, backups or certificates.
LATER = {
    "fingerpost_backup_last_success_timestamp_seconds",
    "fingerpost_event_rejected_total",
    "fingerpost_answers_unrecorded_total",
    "fingerpost_export_last_success_timestamp_seconds",
    "fingerpost_export_rows_total",
    "fingerpost_retention_blocked_days",
    "fingerpost_retention_clock_jumped",
    "fingerpost_retention_dropped_rows_total",
    "fingerpost_sink_batches_total",
    "fingerpost_tls_certificate_expiry_timestamp_seconds",
    "fingerpost_tls_reloads_total",
}


def base(name):
    return re.sub(r"_(bucket|sum|count)$", "", name)


def expressions():
    """Yields every PromQL text with its location."""
    for name in ("recording.yaml", "alerts.yaml"):
        text = (HERE / "prometheus" / name).read_text()
        # Prose names metrics too, and they must exist. Names of groups and alerts are not metrics.
        yield f"prometheus/{name}", re.sub(r"(?m)^ *(#.*|- name: .*)$", "", text)
    dashboard = json.loads((HERE / "grafana" / "dashboard.json").read_text())
    ids = [panel["id"] for panel in dashboard["panels"]]
    if len(set(ids)) != len(ids):
        sys.exit("grafana/dashboard.json: two panels have the same id.")
    for panel in dashboard["panels"]:
        for target in panel.get("targets", []):
            yield f"grafana/dashboard.json, '{panel['title']}'", target["expr"]
    for variable in dashboard["templating"]["list"]:
        yield "grafana/dashboard.json", variable.get("definition", "")


def main():
    documented = {base(name) for name in NAMES.findall((HERE.parent / "docs" / "operations.md").read_text())}
    live = None
    if len(sys.argv) > 1:
        text = pathlib.Path(sys.argv[1]).read_text()
        live = {base(name) for name in re.findall(r"(?m)^# TYPE (\w+)", text)}
    problems, used = [], set()
    for place, text in expressions():
        for name in NAMES.findall(text):
            name = base(name)
            used.add(name)
            # docs/operations.md documents the process_ family as a whole.
            if name not in documented and not name.startswith("process_"):
                problems.append(f"{place}: {name} does not stand in docs/operations.md.")
            if live is not None and name not in live | LATER:
                problems.append(f"{place}: no server answers {name}.")
    for name in sorted((live or set()) - documented):
        if not name.startswith("process_"):
            problems.append(f"docs/operations.md: {name} is missing; a server answers it.")
    if problems:
        sys.exit("\n".join(dict.fromkeys(problems)))
    print(f"{len(used)} metrics are named, all of them {'documented' if live is None else 'documented and answered'}")


main()
