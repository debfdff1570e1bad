"""Injection into paths, headers and hosts: an answer may not contain a file of the machine, a redirect to another site
or an injected header."""

from urllib.parse import urlsplit

from result import Result
from service import CLICKS, WEBSITE
from wire import exchange, post

_INJECTED = ["\r\nX-Injected: yes", "\nX-Injected: yes", "\rX-Injected: yes", "%0d%0aX-Injected:%20yes", "%0aX-Injected:%20yes",
             "%0dX-Injected:yes", "%250d%250aX-Injected:yes", "%E5%98%8A%E5%98%8DX-Injected:yes", "%c0%8dX-Injected:yes",
             "%u000d%u000aX-Injected:yes", "\x00", "%00", "\x0b", "%0b", "\x7f", "\x85X-Injected: yes", "%e2%80%a8X-Injected:yes"]

_TRICKS = ["/../", "/../../../../etc/passwd", "/..%2f..%2f..%2fetc%2fpasswd", "/%2e%2e/%2e%2e/etc/passwd", "/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
           "/.%2e/", "/%2e./", "/./", "/%2e/", "/...//", "//evil.example/", "///evil.example/", "/%2fevil.example/", "/%2f%2fevil.example",
           "/\\evil.example/", "\\\\evil.example\\", "/%5cevil.example/", "/%5c%5cevil.example", "/;/evil.example/", "/..;/..;/", "/;a=b",
           "/%252e%252e%252f", "/%252f%252fevil.example", "/%c0%ae%c0%ae/%c0%ae%c0%ae/etc/passwd", "/%c0%af%c0%af", "/%e0%80%af",
           "/%uff0e%uff0e/", "/\uff0e\uff0e/", "/..%00/", "/%00", "/..\\..\\..\\catalog.db", "/..%5c..%5ccatalog.db", "/@evil.example/",
           "/.evil.example", "/https:/evil.example", "/https://evil.example", "/?https://evil.example", "/#//evil.example",
           "/%", "/%2", "/%zz", "/%ff%fe", "/\xff\xfe", "/" + "../" * 500, "/" + "%2e%2e%2f" * 300, "/" + "/" * 3000, "/" + ";" * 3000,
           "/javascript:alert(1)", "/data:text/html,x", "//evil.example/%2f..", "//evil.example/..", "/\t/evil.example/", "/%09/evil.example",
           "/ /evil.example", "/%20/evil.example", "/legal//evil.example", "/legal/%2f%2fevil.example", "/legal/..%2f..%2fevil",
           "/legal/%0d%0aLocation:%20https://evil.example", "/legal/x?a=%0d%0aX-Injected:yes", "/legal/x#%0d%0aX-Injected:yes"]

_BEFORE = ["", "/.well-known", "/.well-known/apple-app-site-association", "/.well-known/assetlinks.json", "/apple-app-site-association",
           "/resolve", "/openapi.json", "/_fp", "/legal"]
_ADMIN = ["/admin/v1/tenants", "/admin/v1/tenants/shop/exports", "/admin/v1/tenants/shop/suites", "/admin/v1/tenants/shop/draft/routes"]

#: Hosts to which the demo tenants redirect.
_OWN_HOSTS = ("yourappdomain.com", "apps.apple.com", "play.google.com")

#: Contents of files that must never be served.
_SECRETS = (b"root:x:0:0", b"SQLite format 3", b"daemon:x:")


def _is_own(location):
    parts = urlsplit(location)
    host = parts.hostname or ""
    ours = any(host == own or host.endswith("." + own) for own in _OWN_HOSTS)
    return parts.scheme == "https" and ours and not parts.username and not set(location) & set("\r\n\\\t")


def _judge(name, answers, may_redirect):
    faults = []
    if not answers.statuses and answers.ending == "open":
        faults.append(f"{name}: neither answered nor closed")
    for response in answers.responses:
        if response.status == 0 or response.status >= 500 and response.status != 501:
            faults.append(f"{name}: answered {response.status}: {response.head[:80]!r}")
        if response.header("X-Injected"):
            faults.append(f"{name}: a header was injected")
        location = response.header("Location")
        if location is not None and not (may_redirect and _is_own(location)):
            faults.append(f"{name}: led to {location!r}")
        if any(secret in response.body for secret in _SECRETS):
            faults.append(f"{name}: the answer contains a file of the machine")
    if len([status for status in answers.statuses if status not in (400, 414, 431)]) > 1:
        faults.append(f"{name}: more than one answer: {answers}")
    return faults


def _raw(line, host, *headers):
    return "\r\n".join([line, f"Host: {host}", "Connection: close", *headers, "", ""]).encode("utf-8", "surrogateescape")


def _ask_all(target, cases):
    """`cases`: (name, port, request, whether a redirect is allowed)."""
    counts, faults = {}, []
    for name, port, request, may_redirect in cases:
        answers = exchange(getattr(target.service, port), request, quiet=3)
        faults += _judge(name, answers, may_redirect)
        status = answers.statuses[0] if answers.statuses else "closed"
        counts[status] = counts.get(status, 0) + 1
    answered = ", ".join(f"{status} ×{count}" for status, count in sorted(counts.items(), key=lambda item: -item[1]))
    return Result(f"{len(cases)} requests", answered, faults)


def tricks(target):
    key = f"Authorization: Bearer {target.service.key}"
    cases = []
    for trick in _TRICKS:
        for before in _BEFORE:
            for host in (CLICKS, WEBSITE):
                # Only clicks redirect: on a host for links, and outside the reserved paths.
                clicks = host == CLICKS and not before.startswith(("/.well-known", "/apple", "/_fp"))
                name = f"GET {before}{trick[:60]!r} of {host}"
                cases.append((name, "public", _raw(f"GET {before}{trick} HTTP/1.1", host), clicks))
        for before in _ADMIN:
            cases.append((f"admin {before}{trick[:60]!r}", "admin", _raw(f"GET {before}{trick} HTTP/1.1", "localhost", key), False))
    if target.is_short:
        cases = cases[::4]
    return _ask_all(target, cases)


def injections(target):
    cases = []
    for bytes_ in _INJECTED:
        name = repr(bytes_)
        for path in ("/legal/a", "/.well-known/apple-app-site-association", "/resolve", "/nothing"):
            cases.append((f"path {path}{name}", "public", _raw(f"GET {path}{bytes_} HTTP/1.1", CLICKS), True))
            cases.append((f"query of {path}{name}", "public", _raw(f"GET {path}?a={bytes_} HTTP/1.1", CLICKS), True))
        cases.append((f"host {name}", "public", _raw("GET /legal/a HTTP/1.1", CLICKS + bytes_), True))
        cases.append((f"host first {name}", "public", _raw("GET /legal/a HTTP/1.1", bytes_ + CLICKS), True))
        for header in ("X-Request-ID", "User-Agent", "Accept-Language", "Referer", "If-None-Match", "X-Forwarded-For", "traceparent"):
            cases.append((f"{header} {name}", "public", _raw("GET /legal/a HTTP/1.1", CLICKS, f"{header}: a{bytes_}"), True))
        escaped = bytes_.replace("\r", "\\r").replace("\n", "\\n").encode("unicode_escape").decode().replace("\\\\", "\\")
        escaped = escaped.replace("\\x", "\\u00")
        for link in (f"https://{WEBSITE}/product/1{escaped}", f"https://{WEBSITE}{escaped}/", f"yourapp://user/{escaped}"):
            body = '{"url":"%s"}' % link
            cases.append((f"link {name}", "public", post("/resolve", body, WEBSITE, "Connection: close"), False))
    return _ask_all(target, cases)


ATTACKS = {"path tricks": tricks, "CRLF": injections}
