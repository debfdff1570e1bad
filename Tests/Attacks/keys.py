"""Keys that make keys: none may do more than the key that created it, and ended ones take no memory."""

import http.client
import json
import threading
import time

from result import Result
from service import Service

TENANT = "/admin/v1/tenants/shop"
#: Pairs of a creation and a revocation, and what the service may have grown by after them. A grant of 100 owners is 17 KB
#: in memory, so that keeping them would take 10 MiB.
PAIRS, THREADS, GROWTH_BYTES = 600, 4, 6 << 20


def _ask(service, key, method, path, body=None):
    """Returns the status and the JSON of an answer of the admin port."""
    connection = http.client.HTTPConnection(*service.admin, timeout=30)
    try:
        headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read()
        return answer.status, json.loads(text) if text else None
    finally:
        connection.close()


def stronger(target):
    """A key limited to an owner makes keys for paths of other owners, and tries to take a password reset with them."""
    service, faults = Service(target.service.binary), []
    try:
        rights = {"scopes": ["tables:read", "tables:write", "publish", "keys"], "owners": ["blog"], "tenant": "shop"}

        def create(by, name, **more):
            status, made = _ask(service, by, "POST", "/admin/v1/keys", {**rights, "name": name, **more})
            return made["key"] if status == 201 else None

        keys = [create(service.key, "parent")]
        for prefix in ("/reset/{", "/reset/{token}", "/reset*", "/(reset)"):
            if create(keys[0], "pattern", pathPrefixes=[prefix]):
                faults.append(f"a key got the path prefix {prefix}")
        for prefix in ("/reset", "/reset/", "/reset/a", "/"):
            keys.append(create(keys[0], "child", pathPrefixes=[prefix]))
            keys.append(create(keys[-1], "grandchild", pathPrefixes=[prefix]))
        route = {
            "owner": "blog", "when": {"platform": "ios"}, "web": "https://www.yourappdomain.com/blog?stolen={token}",
        }
        tried = 0
        for key in filter(None, keys):
            for path in ("/reset/{token}", "/reset/a"):
                tried += 1
                stolen = {**route, "path": path}
                if "{token}" not in path:
                    stolen["web"] = "https://www.yourappdomain.com/blog"
                status, _ = _ask(service, key, "PUT", f"{TENANT}/draft/routes/mine?before=reset", stolen)
                if status != 403:
                    faults.append(f"a route for {path} was answered with {status}")
        return Result(f"{len(keys)} keys of keys", f"{tried} routes of others", faults)
    finally:
        if (status := service.stop()) != 0:
            faults.append(f"SIGTERM ended the service with {status}")


def ended(target):
    """Creates and revokes keys with long lists. Ended keys must leave memory, and the revocations stay fast."""
    service, faults = Service(target.service.binary), []
    try:
        rights = {"scopes": ["keys"], "tenant": "shop"}
        # Keys with fewer permissions may create half as many in a day.
        maker = _ask(service, service.key, "POST", "/admin/v1/keys", {**rights, "name": "maker", "scopes": ["admin"]})[1]["key"]
        long = {**rights, "name": "long", "owners": [f"an owner with a name that is rather long {number:05}" for number in range(100)]}
        seconds = []

        def work(pairs):
            for _ in range(pairs):
                status, made = _ask(service, maker, "POST", "/admin/v1/keys", long)
                if status == 429:
                    time.sleep(0.2)
                    continue
                if status != 201:
                    faults.append(f"a key was answered with {status}")
                    return
                begin = time.monotonic()
                status, _ = _ask(service, maker, "DELETE", f"/admin/v1/keys/{made['id']}")
                seconds.append(time.monotonic() - begin)
                if status not in (200, 429):
                    faults.append(f"a revocation was answered with {status}")

        def together(pairs):
            threads = [threading.Thread(target=work, args=(pairs // THREADS,)) for _ in range(THREADS)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        together(PAIRS // 6)
        before = service.resident_bytes()
        together(PAIRS)
        until = time.monotonic() + 30
        while (growth := service.resident_bytes() - before) > GROWTH_BYTES and time.monotonic() < until:
            time.sleep(0.5)
        if growth > GROWTH_BYTES:
            faults.append(f"{len(seconds)} ended keys left {growth >> 20} MiB, more than {GROWTH_BYTES >> 20}")
        told = f"{len(seconds)} pairs, {sorted(seconds)[len(seconds) // 2] * 1000:.0f} ms a revocation, +{growth / (1 << 20):.1f} MiB"
        return Result("keys that are created and revoked", told, faults)
    finally:
        if (status := service.stop()) != 0:
            faults.append(f"SIGTERM ended the service with {status}")


ATTACKS = {"stronger keys": stronger, "ended keys": ended}
