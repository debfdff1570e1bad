"""A tenant's own key repeats changes that leave something behind: rollbacks, suites, keys, drafts, erasures. `catalog.db` may
grow by the tables, each stored once, and by the audit rows."""

import http.client
import itertools
import json
import os
import time

from result import Result
from service import Service

TENANT = "/admin/v1/tenants/shop"
#: Two tables of 1 MB. Stored anew for each rollback, they would exceed the bound.
ROUTES, NOTE = 1_000, "x" * 900
#: What a change may add besides tables: audit row, revision or key, pages of their indexes; and a part for the start.
ROW_BYTES, SPARE_BYTES = 8 << 10, 16 << 20


def _table(name):
    routes = [{"id": f"r{number}", "path": f"/{name}/{number}", "note": NOTE, "open": {"screen": "Page"}} for number in range(ROUTES)]
    return {"routes": routes}


def _size(service):
    """The bytes of catalog.db with its WAL, which takes about 8 MiB before a checkpoint."""
    file = os.path.join(service.data, "service", "catalog.db")
    return os.path.getsize(file) + os.path.getsize(file + "-wal")


class _Editor:
    def __init__(self, service):
        self._connection = http.client.HTTPConnection(*service.admin, timeout=60)
        self._key, self.changes, self.faults = service.key, 0, []
        made = self.send("POST", "/admin/v1/keys", {"name": "growth", "tenant": "shop", "scopes": ["admin"]}, 201)
        self._key = made["key"]

    def send(self, method, path, body, *expected):
        """Returns the JSON of the answer, whose status must be one of those expected."""
        data = json.dumps(body)
        self._connection.request(method, path, data, {"Authorization": f"Bearer {self._key}", "Content-Type": "application/json"})
        answer = self._connection.getresponse()
        text = answer.read()
        self.changes += 1
        if answer.status not in expected:
            self.faults.append(f"{method} {path}: {answer.status}, not {expected}: {text[:200]!r}")
        return json.loads(text) if text else {}


def stored_growth(target):
    service = Service(target.service.binary)
    try:
        editor, tables = _Editor(service), [_table("a"), _table("b")]
        before = _size(service)
        editor.send("PUT", f"{TENANT}/settings", json.loads(service.ask("admin", f"{TENANT}/settings"))["settings"] | {"privacy": {"recordInstall": True}}, 200)
        numbers = [editor.send("POST", f"{TENANT}/apply", {"table": table, "removeOthers": True}, 201).get("revision", 0) for table in tables]
        until, rollbacks = time.monotonic() + max(target.seconds, 3), 0
        for number in itertools.count():
            if time.monotonic() > until and rollbacks >= 40:
                break
            # The live one twice, then the other one.
            editor.send("POST", f"{TENANT}/revisions/{numbers[(number + 1) % 2]}/rollback", {}, 200)
            editor.send("POST", f"{TENANT}/revisions/{numbers[number % 2]}/rollback", {}, 201, 429)
            rollbacks += 2
            editor.send("PUT", f"{TENANT}/suites/s", {"formatVersion": 1, "cases": []}, 200)
            editor.send("DELETE", f"{TENANT}/suites/s", {}, 204)
            key = editor.send("POST", "/admin/v1/keys", {"name": "k", "tenant": "shop", "scopes": ["publish"]}, 201, 429)
            if "id" in key:
                editor.send("DELETE", f"/admin/v1/keys/{key['id']}", {}, 200)
            editor.send("POST", f"{TENANT}/erasures", {"stickyKey": f"install-{number}"}, 201, 429)
        grown, bound = _size(service) - before, 2 * len(json.dumps(tables)) + editor.changes * ROW_BYTES + SPARE_BYTES
        if grown > bound:
            editor.faults.append(f"catalog.db grew by {grown >> 20} MiB, more than {bound >> 20}")
        told = f"catalog.db +{grown / (1 << 20):.1f} MiB of at most {bound / (1 << 20):.0f}"
        return Result(f"{rollbacks} rollbacks of {ROUTES} routes, {editor.changes} changes in all", told, editor.faults)
    finally:
        service.stop()


ATTACKS = {"stored growth": stored_growth}
