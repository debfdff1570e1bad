#!/usr/bin/env python3
"""Compares the metrics in the rules and the dashboard with existing ones, and alerts with runbooks: check-metrics.py [LIVE]

LIVE is a server's answer to GET /metrics. Every name must be in docs/operations.md with the labels that a selector
names, and either in LIVE or among the metrics that exist only after certain events. For a histogram, its _bucket, _sum
and _count are known. Every alert must link to a page of runbooks/ that names it, and runbooks/README.md lists each page.
A test of LinkServerTests compares the table in docs/operations.md with the metrics of the server.
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).parent
NAMES = re.compile(r"(?<![:\w])(?:fingerpost|process)_[a-z0-9_]+")
SELECTORS = re.compile(r"(?<![:\w])((?:fingerpost|process)_[a-z0-9_]+)\{([^}]*)\}")
# Prometheus adds the first two, and histograms have the third.
OTHER_LABELS = {"job", "instance", "le"}
RUNBOOK = re.compile(r"https://docs\.example\.com/fingerpost/deploy/runbooks/([\w-]+\.md)")
# Pages that no alert leads to.
WITHOUT_ALERT = {"README.md", "erase-request.md", "key-leak.md", "restore.md", "upgrade-rollback.md"}

# A new server has no refusals, dropped rows, exports, backups or certificates.
LATER = {
    "fingerpost_backup_last_success_timestamp_seconds",
    "fingerpost_day_bytes",
    "fingerpost_events_rejected_total",
    "fingerpost_answers_unrecorded_total",
    "fingerpost_export_due_timestamp_seconds",
    "fingerpost_export_last_success_timestamp_seconds",
    "fingerpost_export_rows_total",
    # Only with several nodes.
    "fingerpost_catalog_followed_timestamp_seconds",
    "fingerpost_log_is_foreign",
    "fingerpost_log_lost_rows_total",
    "fingerpost_log_shipped_until_timestamp_seconds",
    "fingerpost_log_unshipped_rows",
    "fingerpost_retention_blocked_days",
    "fingerpost_retention_clock_jumped",
    "fingerpost_retention_dropped_rows_total",
    "fingerpost_s3_retries_total",
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


def runbook_problems():
    """Yields what is wrong with the links from alerts to runbooks."""
    pages = {page.name: page.read_text() for page in (HERE / "runbooks").glob("*.md")}
    used = set(WITHOUT_ALERT)
    alerts = re.split(r"(?m)^ *- alert: ", (HERE / "prometheus" / "alerts.yaml").read_text())[1:]
    for alert in alerts:
        name = alert.split("\n", 1)[0].strip()
        link = re.search(r"(?m)^ *runbook_url: (.*)$", alert)
        page = link and RUNBOOK.fullmatch(link[1])
        if not page:
            yield f"prometheus/alerts.yaml: {name} has no runbook_url with a page of runbooks/."
        elif page[1] not in pages:
            yield f"prometheus/alerts.yaml: {name} links to runbooks/{page[1]}, which does not exist."
        elif name not in pages[page[1]]:
            yield f"runbooks/{page[1]} does not name {name}, which links to it."
        if page:
            used.add(page[1])
    names = {alert.split("\n", 1)[0].strip() for alert in alerts}
    for page, text in sorted(pages.items()):
        if page not in used:
            yield f"runbooks/{page}: no alert links to it."
        if page != "README.md" and f"({page})" not in pages["README.md"]:
            yield f"runbooks/README.md does not list {page}."
        for name in set(re.findall(r"\bFingerpost[A-Z]\w+", text)) - names:
            yield f"runbooks/{page}: there is no alert {name}."
        for link in re.findall(r"\]\(([^)#:]+)", text):
            if not (HERE / "runbooks" / link).exists():
                yield f"runbooks/{page}: {link} does not exist."


def main():
    operations = (HERE.parent / "docs" / "operations.md").read_text()
    documented = {base(name) for name in NAMES.findall(operations)}
    labels = {name: set(text.split(",")) for name, text in SELECTORS.findall(operations)}
    live = None
    if len(sys.argv) > 1:
        text = pathlib.Path(sys.argv[1]).read_text()
        live = {base(name) for name in re.findall(r"(?m)^# TYPE (\w+)", text)}
    problems, used = list(runbook_problems()), set()
    for place, text in expressions():
        for name, selector in SELECTORS.findall(text):
            for label in re.findall(r"(\w+) *(?:=~|!~|!=|=)", selector):
                if label not in labels.get(base(name), set()) | OTHER_LABELS:
                    problems.append(f"{place}: {name} has no label {label}.")
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
