#!/usr/bin/env python3
"""Installs, upgrades, rolls back and removes the package for Debian in a clean root, while a client sends requests.

    install.py ROOT VERSION NEWER

ROOT has /root/older.deb of VERSION (with its commit) and /root/newer.deb of NEWER, which has one more migration. The steps
are those of deploy/runbooks/upgrade-rollback.md and restore.md. The root has no systemd, so this program does what the
unit says: another user, the folders of StateDirectory, and ExecStart.
"""
import hashlib
import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
# Like a user of DynamicUser=, it owns nothing but the folders of StateDirectory=.
USER = 61234
DATA, BACKUPS, ASIDE = "/var/lib/fingerpost", "/var/lib/fingerpost-backups", "/var/lib/private/fingerpost.aside"
EXAMPLES = "/usr/share/doc/fingerpost/examples"


def fail(message):
    sys.exit(f"install.py: {message}")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Root:
    def __init__(self, path):
        self.path = Path(path)
        self.ports = {name: free_port() for name in ("public", "admin", "ops")}
        self.service = None
        self.log = self.path / "root/log"

    def url(self, port, path=""):
        return f"http://127.0.0.1:{self.ports[port]}{path}"

    def file(self, path):
        return self.path / path.removeprefix("/")

    def command(self, words, user=0):
        return [str(HERE / "in-root.sh"), str(self.path), str(user), *words]

    def run(self, *words, environment={}, folder="/"):
        line = " ".join(shlex.quote(word) for word in words)
        done = subprocess.run(
            self.command(["/bin/sh", "-c", f"cd {folder} && {line}"]),
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/root"} | environment,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            fail(f"'{line}' ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def apt(self, *words):
        return self.run("apt-get", "-qq", "-y", "--no-install-recommends", *words, environment={"DEBIAN_FRONTEND": "noninteractive"})

    # --- the service ------------------------------------------------------------------------------------------------

    def make_state(self):
        """What systemd makes of DynamicUser=yes, StateDirectory= and StateDirectoryMode=0700."""
        private = self.file("/var/lib/private")
        private.mkdir(mode=0o711)
        for name in ("fingerpost", "fingerpost-backups"):
            (private / name).mkdir(mode=0o700)
            os.chown(private / name, USER, USER)
            (self.path / "var/lib" / name).symlink_to(f"private/{name}")

    def launch(self):
        unit = self.file("/lib/systemd/system/fingerpost.service").read_text()
        words = shlex.split(re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE).group(1))
        for port, number in self.ports.items():
            words += [f"--{port}", f"127.0.0.1:{number}"]
        with self.log.open("a") as log:
            return subprocess.Popen(
                self.command(words, USER), stdout=log, stderr=log, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/"}
            )

    def start(self):
        self.service = self.launch()
        for _ in range(600):
            if self.service.poll() is not None:
                fail(f"the service ended with {self.service.returncode}: {self.log.read_text()[-3000:]}")
            try:
                with urllib.request.urlopen(self.url("ops", "/readyz"), timeout=5) as answer:
                    if answer.status == 200:
                        break
            except OSError:
                time.sleep(0.1)
        else:
            fail(f"the service is not ready after a minute: {self.log.read_text()[-3000:]}")
        ids = re.search(r"^Uid:\s+(.*)$", Path(f"/proc/{self.service.pid}/status").read_text(), re.MULTILINE).group(1)
        if set(ids.split()) != {str(USER)}:
            fail(f"the service runs as {ids}.")

    def stop(self):
        self.service.send_signal(signal.SIGTERM)
        if (code := self.service.wait(timeout=90)) != 0:
            fail(f"SIGTERM ended the service with {code}.")
        self.service = None

    def refusal(self):
        """Starts the service, which must end by itself. Returns its exit code and its log."""
        before = len(self.log.read_text())
        code = self.launch().wait(timeout=60)
        return code, self.log.read_text()[before:]

    def version(self):
        with urllib.request.urlopen(self.url("ops", "/metrics"), timeout=5) as answer:
            return re.search(r'fingerpost_build_info\{[^}]*version="([^"]*)"', answer.read().decode()).group(1)

    def recorded(self, key):
        lines = self.run(
            "fingerpost", "events", "shop", "--after", "0", "--json", "--server", self.url("admin"), "--key", key
        )
        return {json.loads(line)["id"] for line in lines.splitlines()}


class Client(threading.Thread):
    """Sends links without pause and keeps the ids of recorded answers. A restart may refuse or break off requests."""

    def __init__(self, url):
        super().__init__()
        self.url, self.ids, self.lost, self.failure = url, [], 0, None
        self.ended = threading.Event()

    def run(self):
        number = 0
        while not self.ended.is_set():
            number += 1
            body = json.dumps({"url": f"yourapp://product/{number}"}).encode()
            try:
                with urllib.request.urlopen(urllib.request.Request(self.url, data=body), timeout=10) as answer:
                    value = json.load(answer)
                if value["destination"]["screen"] != "ProductDetail":
                    self.failure = f"product {number} leads to {value}."
                if value["recorded"]:
                    self.ids.append(value["id"])
            except urllib.error.HTTPError as error:
                # 429: this address has sent its share; 503: the service is starting or ending.
                self.lost += error.code not in (429, 503)
                self.ended.wait(0.2)
            except OSError:
                self.lost += 1
                self.ended.wait(0.02)
            self.ended.wait(0.01)

    def end(self):
        self.ended.set()
        self.join()
        if self.failure:
            fail(self.failure)


def transcript():
    """The commands of README.md that begin with `$`, and what they print."""
    for block in re.findall(r"^```\n(.*?)^```", (REPOSITORY / "README.md").read_text(), re.MULTILINE | re.DOTALL):
        if block.startswith("$ "):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                # The README of a clone names the build and the examples by other paths.
                command = re.sub(r"\.build/(debug|release)/fingerpost", "fingerpost", command)
                yield re.sub(r"(?<= )config/examples/", EXAMPLES + "/", command), output


def installed_files(root):
    """Files of the package besides the data; folders are shared with other packages."""
    places = ("usr/bin/fingerpost", "usr/share/doc/fingerpost", "lib/systemd/system/fingerpost.service", "etc/fingerpost")
    return [place for place in places if (root.path / place).exists()]


def digests(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def main():
    root, version, newer = Root(sys.argv[1]), sys.argv[2], sys.argv[3]
    for name in ("/etc/resolv.conf", "/etc/hosts"):
        root.file(name).write_text(Path(name).read_text())
    client = None
    try:
        root.apt("update")
        before = set(root.run("dpkg-query", "-W", "-f", "${Package}\n").split())
        root.apt("install", "/root/older.deb")
        added = set(root.run("dpkg-query", "-W", "-f", "${Package}\n").split()) - before
        if (found := root.run("fingerpost", "--version").strip()) != version:
            fail(f"the program is {found} instead of {version}.")
        if changed := root.run("dpkg", "--verify", "fingerpost"):
            fail(f"dpkg --verify: {changed}")
        print(f"installed {version} with {len(added) - 1} other packages")

        count = 0
        for command, output in transcript():
            if (found := root.run("sh", "-c", command, folder="/usr/share/doc/fingerpost")) != output:
                fail(f"'{command}' prints something else than README.md:\n{found}")
            count += 1
        if count == 0:
            fail("README.md has no command with its output.")
        print(f"the README's first commands print what it shows: {count}")

        root.make_state()
        root.start()
        key = root.run("fingerpost", "keys", "create", "--data", DATA, "--name", "ops", "--scope", "admin")
        key = re.search(r"fp_[\w-]+", key).group(0)
        admin = ["--server", root.url("admin"), "--key", key]
        root.run("fingerpost", "apply", "-f", f"{EXAMPLES}/shop.yaml", *admin)
        client = Client(root.url("public", "/resolve"))
        client.start()
        wait_for(lambda: len(client.ids) >= 200, "200 recorded links")
        print(f"the service runs as user {USER}, and a client sends links")

        # Upgrade: backup, package, restart.
        root.run("fingerpost", "backup", f"{BACKUPS}/before-upgrade", "--data", DATA)
        # Acknowledged before the backup began or while it ran; the latter may be missing in it.
        saved = set(client.ids[:200])
        root.apt("install", "/root/newer.deb")
        root.stop()
        root.start()
        if not (found := root.version()).startswith(newer):
            fail(f"after the upgrade, the service is {found}.")
        served = len(client.ids)
        wait_for(lambda: len(client.ids) >= served + 200, "200 links after the upgrade")
        client.end()
        if missing := set(client.ids) - root.recorded(key):
            fail(f"{len(missing)} of {len(client.ids)} acknowledged links are missing after the upgrade.")
        root.run("fingerpost", "verify-log", "--data", DATA)
        print(f"upgraded to {newer}: all of {len(client.ids)} acknowledged links are in the log, {client.lost} requests failed meanwhile")

        # Rollback: the older program refuses the newer file, and does not change it.
        root.apt("install", "--allow-downgrades", "/root/older.deb")
        root.stop()
        catalog = root.file("/var/lib/private/fingerpost/service/catalog.db")
        digest = hashlib.sha256(catalog.read_bytes()).hexdigest()
        code, log = root.refusal()
        if code != 65 or "newer" not in log:
            fail(f"{version} ends with {code} for the file of {newer}: {log[-1000:]}")
        if hashlib.sha256(catalog.read_bytes()).hexdigest() != digest:
            fail(f"{version} changed the file of {newer}.")
        root.run(
            "sh", "-c", f"mkdir -p -m 0700 {ASIDE}/before && find {DATA}/ -mindepth 1 -maxdepth 1 ! -name backups "
            f"-exec mv -t {ASIDE}/before {{}} +"
        )
        root.run("fingerpost", "restore", f"{BACKUPS}/before-upgrade", "--data", DATA)
        root.run("chown", "-R", f"--reference={DATA}/", f"{DATA}/")
        root.start()
        if root.version() != version:
            fail(f"after the rollback, the service is {root.version()}.")
        if missing := saved - root.recorded(key):
            fail(f"{len(missing)} links that were recorded before the backup are missing after the rollback.")
        root.run("fingerpost", "audit", "verify", "--data", DATA)
        body = json.dumps({"url": "yourapp://product/1"}).encode()
        with urllib.request.urlopen(urllib.request.Request(root.url("public", "/resolve"), data=body)) as answer:
            if not json.load(answer)["recorded"]:
                fail("after the rollback, a link is not recorded.")
        print(f"rolled back to {version}: it refuses the newer file ({code}), and runs with the backup")

        # Removal leaves the data, also with purge.
        root.stop()
        data = root.file("/var/lib/private")
        kept = digests(data)
        root.apt("remove", "fingerpost")
        # The configuration stays until purge.
        if (found := installed_files(root)) != ["etc/fingerpost"]:
            fail(f"removal leaves {', '.join(found)}.")
        root.apt("purge", "fingerpost")
        if found := installed_files(root):
            fail(f"purge leaves {', '.join(found)}.")
        if digests(data) != kept:
            fail("removal changes the data.")
        print(f"removal leaves the {len(kept)} files of data and backups")
    finally:
        if client:
            client.end()
        if root.service:
            root.service.kill()


def wait_for(condition, what):
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.1)
    fail(f"{what}: not within two minutes.")


if __name__ == "__main__":
    main()
