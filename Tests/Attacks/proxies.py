"""Starts the examples of deploy/proxies in front of a service, on a free loopback port."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

from service import CLICKS, WEBSITE, free_port
from wire import exchange, get

PROXIES = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
_EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../deploy/proxies")
_FILES = {"nginx": "nginx.conf", "caddy": "Caddyfile", "haproxy": "haproxy.cfg"}


def make_certificate(folder):
    """Creates a certificate for the demo tenants' hosts. Returns the paths of the certificate and its key."""
    key, chain = (os.path.join(folder, name) for name in ("privkey.pem", "fullchain.pem"))
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
         "-subj", f"/CN={CLICKS}", "-addext", f"subjectAltName=DNS:{CLICKS},DNS:{WEBSITE}", "-keyout", key, "-out", chain],
        check=True, stderr=subprocess.DEVNULL,
    )
    os.chmod(key, 0o600)
    return chain, key


class Proxy:
    """A running proxy that accepts TLS at `address` with its own certificate."""

    def __init__(self, kind, service):
        self._scratch = tempfile.mkdtemp(prefix=f"fingerpost-{kind}.")
        self._secure, self._plain = free_port(), free_port()
        self.address = ("127.0.0.1", self._secure)
        self._make_certificates()
        file = os.path.join(self._scratch, _FILES[kind])
        with open(os.path.join(_EXAMPLES, _FILES[kind])) as example, open(file, "w") as adapted:
            adapted.write(getattr(self, f"_{kind}")(self._adapt(example.read(), service)))
        command = {
            "nginx": ["nginx", "-c", file],
            "caddy": ["caddy", "run", "--config", file, "--adapter", "caddyfile"],
            "haproxy": ["haproxy", "-f", file],
        }[kind]
        command[0] = shutil.which(command[0], path=PROXIES)
        self._log = open(os.path.join(self._scratch, "log"), "w+b")
        self._process = subprocess.Popen(
            command, stdout=self._log, stderr=self._log, stdin=subprocess.DEVNULL, env={**os.environ, "HOME": self._scratch}
        )
        self._await(kind)

    def _await(self, kind):
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and self._process.poll() is None:
            asked = exchange(self.address, get("/.well-known/assetlinks.json", WEBSITE, "Connection: close"), tls=CLICKS)
            if asked.statuses == [200]:
                return
            time.sleep(0.2)
        self._log.seek(0)
        log = self._log.read().decode(errors="replace")
        self.close()
        raise SystemExit(f"{kind} did not start: {log}")

    def close(self):
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._log.close()
        shutil.rmtree(self._scratch, ignore_errors=True)

    def _make_certificates(self):
        os.mkdir(os.path.join(self._scratch, "both"))
        with open(os.path.join(self._scratch, "both", "all.pem"), "w") as both:
            for part in make_certificate(self._scratch):
                with open(part) as text:
                    both.write(text.read())

    # Changes only names, ports and paths in the examples.

    def _adapt(self, text, service):
        for pattern, value in (
            (r"/etc/ssl/fingerpost/(fullchain|privkey)\.pem", rf"{self._scratch}/\1.pem"),
            (r"/etc/ssl/fingerpost/", f"{self._scratch}/both/"),
            (r"127\.0\.0\.1:8080", f"127.0.0.1:{service.ports['public']}"),
            (r"check port 8082", f"check port {service.ports['ops']}"),
        ):
            text = re.sub(pattern, value, text)
        return text

    def _nginx(self, text):
        text = re.sub(r"listen \[::\].*;", "", text)
        text = text.replace("listen 80;", f"listen 127.0.0.1:{self._plain};").replace("listen 443", f"listen 127.0.0.1:{self._secure}")
        text = re.sub(r"server_name .*", f"server_name {CLICKS} {WEBSITE};", text)
        folders = "".join(f"{kind}_temp_path {self._scratch}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        return f"daemon off; pid {self._scratch}/pid; error_log stderr; events {{}} http {{ access_log off; {folders}\n{text}\n}}\n"

    def _haproxy(self, text):
        return text.replace("bind :443", f"bind 127.0.0.1:{self._secure}").replace("maxconn 20000", "maxconn 1000")

    def _caddy(self, text):
        text = re.sub(r"(?m)^{$", f"{{\n\tadmin off\n\tauto_https off\n\thttp_port {self._plain}", text, count=1)
        site = f"https://:{self._secure} {{\n\tbind 127.0.0.1\n\ttls {self._scratch}/fullchain.pem {self._scratch}/privkey.pem"
        return re.sub(r"(?m)^go\.example\.com, .* {$", site, text)
