#!/usr/bin/env python3
"""Installs, upgrades, rolls back and removes the package for Debian in a clean root, while a client sends requests.

    install.py ROOT VERSION NEWER

ROOT is a root file system with systemd. It has /root/older.deb of VERSION (with its commit) and /root/newer.deb of NEWER, which
has one more migration. systemd-nspawn boots it. The steps are those of deploy/runbooks/upgrade-rollback.md and restore.md. Exits
with 3 if the root cannot be booted here.
"""
import hashlib
import json
import re
import shlex
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent.parent
DATA, BACKUPS, ASIDE = "/var/lib/fingerpost", "/var/lib/fingerpost-backups", "/var/lib/private/fingerpost.aside"
EXAMPLES = "/usr/share/doc/fingerpost/config/examples"


def fail(message):
    sys.exit(f"install.py: {message}")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Root:
    """A running system. It has the network of this machine."""

    def __init__(self, path):
        self.path = Path(path)
        self.ports = {name: free_port() for name in ("public", "admin", "ops")}
        self.leader = None
        with (self.path.parent / "boot.log").open("w") as log:
            words = ["systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--boot", "--directory", path]
            self.container = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def boot(self):
        """Returns whether the system runs within a minute."""
        for _ in range(300):
            self.leader = self.leader or self.first_process(self.container.pid)
            if self.leader and self.try_run("systemctl", "is-system-running").stdout.strip() in ("running", "degraded"):
                return True
            if self.container.poll() is not None:
                return False
            time.sleep(0.2)
        return False

    def first_process(self, parent):
        """The process 1 of the system, a descendant of systemd-nspawn."""
        for child in Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
            if Path(f"/proc/{child}/comm").read_text().strip() == "systemd":
                return child
            if found := self.first_process(child):
                return found
        return None

    def end(self):
        if self.leader:
            self.try_run("systemctl", "poweroff")
        try:
            self.container.wait(timeout=90)
        except subprocess.TimeoutExpired:
            self.container.kill()

    def url(self, port, path=""):
        return f"http://127.0.0.1:{self.ports[port]}{path}"

    def file(self, path):
        return self.path / path.removeprefix("/")

    def try_run(self, *words):
        inside = ["nsenter", "--target", self.leader, "--mount", "--uts", "--ipc", "--pid", "--cgroup", "--root", "--wd=/"]
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/root", "DEBIAN_FRONTEND": "noninteractive"}
        return subprocess.run([*inside, *words], env=environment, capture_output=True, text=True)

    def run(self, *words):
        done = self.try_run(*words)
        if done.returncode != 0:
            fail(f"'{shlex.join(words)}' ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def apt(self, *words):
        return self.run("apt-get", "-qq", "-y", "--no-install-recommends", *words)

    # --- the service ------------------------------------------------------------------------------------------------

    def property(self, name):
        return self.run("systemctl", "show", "--property", name, "--value", "fingerpost").strip()

    def log(self):
        return self.run("journalctl", "--unit", "fingerpost", "--output", "cat", "--no-pager", "--lines", "30")

    def wait_until_ready(self):
        for _ in range(600):
            try:
                with urllib.request.urlopen(self.url("ops", "/readyz"), timeout=5) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                time.sleep(0.1)
        fail(f"the service is not ready after a minute: {self.log()}")

    def wait_until(self, state):
        for _ in range(600):
            if (found := self.property("ActiveState")) == state:
                return
            time.sleep(0.1)
        fail(f"the service is {found} instead of {state}: {self.log()}")

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
                yield command, output


def config_command():
    """The command of docs/install.md that prints the configuration as the service reads it."""
    text = (REPOSITORY / "docs/install.md").read_text()
    return re.search(r"^sudo (systemd-run (?:.*\\\n)?.*fingerpost config .*)$", text, re.MULTILINE).group(1)


def installed_files(root):
    """Files of the package besides the data; folders are shared with other packages."""
    places = ("usr/bin/fingerpost", "usr/share/doc/fingerpost", "usr/lib/systemd/system/fingerpost.service", "etc/fingerpost")
    return [place for place in places if (root.path / place).exists()]


def digests(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def main():
    root, version, newer = Root(sys.argv[1]), sys.argv[2], sys.argv[3]
    client = None
    try:
        if not root.boot():
            print("SKIPPED: systemd-nspawn cannot boot a system here.")
            sys.exit(3)

        # --- installation
        root.apt("update")
        before = set(root.run("dpkg-query", "-W", "-f", "${Package}\n").split())
        root.apt("install", "/root/older.deb")
        added = set(root.run("dpkg-query", "-W", "-f", "${Package}\n").split()) - before
        if (found := root.run("fingerpost", "--version").strip()) != version:
            fail(f"the program is {found} instead of {version}.")
        if changed := root.run("dpkg", "--verify", "fingerpost"):
            fail(f"dpkg --verify: {changed}")
        if (state := root.property("ActiveState")) != "inactive":
            fail(f"after the installation, the service is {state}.")
        print(f"installed {version} with {len(added) - 1} other packages")

        count = 0
        for command, output in transcript():
            if (found := root.run("sh", "-c", command)) != output:
                fail(f"'{command}' prints something else than README.md:\n{found}")
            count += 1
        if count == 0:
            fail("README.md has no command with its output.")
        print(f"the README's first commands print what it shows: {count}")

        # --- service
        ports = "".join(f"FINGERPOST_{name.upper()}_PORT={port}\n" for name, port in root.ports.items())
        environment = root.file("/etc/fingerpost/environment")
        environment.write_text(ports + "FINGERPOST_PUBLIC_PROT=80\n")
        said = root.try_run("sh", "-c", config_command())
        if said.returncode != 78 or "unknown variable FINGERPOST_PUBLIC_PROT" not in said.stderr:
            fail(f"the command of docs/install.md does not see a wrong variable: {said}")
        environment.write_text(ports)
        if f"port: {root.ports['ops']}" not in root.run("sh", "-c", config_command()):
            fail("the command of docs/install.md does not print the port of the environment.")
        if "run-" in (failed := root.run("systemctl", "--failed", "--plain", "--no-legend")):
            fail(f"the command of docs/install.md leaves failed units: {failed}")
        root.run("systemctl", "enable", "--now", "fingerpost")
        root.wait_until_ready()
        root.run("systemctl", "reload", "fingerpost")
        wait_for(lambda: "configuration reloaded" in root.log(), "the service has not reloaded its configuration")
        said = root.try_run("fingerpost", "backup", "/tmp/backup", "--data", DATA)
        if said.returncode != 74 or "only it sees" not in said.stderr:
            fail(f"a backup into the service's own /tmp is no failure: {said}")
        status = root.run("cat", f"/proc/{root.property('MainPID')}/status")
        user = re.search(r"^Uid:\s+(\d+)", status, re.MULTILINE).group(1)
        if int(user) < 1000:
            fail(f"the service runs as the user {user}.")
        key = root.run("fingerpost", "keys", "create", "--data", DATA, "--name", "ops", "--scope", "admin")
        key = re.search(r"fp_[\w-]+", key).group(0)
        root.run("fingerpost", "apply", "-f", f"{EXAMPLES}/shop.yaml", "--server", root.url("admin"), "--key", key)
        client = Client(root.url("public", "/resolve"))
        client.start()
        wait_for(lambda: len(client.ids) >= 200, "200 recorded links")
        print(f"the service runs as user {user}, and a client sends links")

        # --- upgrade: the package restarts the service
        saved = set(client.ids)
        root.run("fingerpost", "backup", f"{BACKUPS}/before-upgrade", "--data", DATA)
        root.apt("install", "/root/newer.deb")
        root.wait_until_ready()
        if not (found := root.version()).startswith(newer):
            fail(f"after the upgrade, the service is {found}.")
        if (restarts := root.property("NRestarts")) != "0":
            fail(f"after the upgrade, the service was restarted {restarts} times: {root.log()}")
        if "catalog.db" not in (log := root.run("journalctl", "--unit", "fingerpost", "--grep", "gets the schema")):
            fail(f"the log does not say that catalog.db was migrated: {log}")
        served = len(client.ids)
        wait_for(lambda: len(client.ids) >= served + 200, "200 links after the upgrade")
        client.end()
        if missing := set(client.ids) - root.recorded(key):
            fail(f"{len(missing)} of {len(client.ids)} acknowledged links are missing after the upgrade.")
        root.run("fingerpost", "verify-log", "--data", DATA)
        lost = f"{client.lost} requests failed meanwhile"
        print(f"upgraded to {newer}: all of {len(client.ids)} acknowledged links are in the log, {lost}")

        # --- rollback: the older program refuses the newer file, and does not change it
        root.apt("install", "--allow-downgrades", "/root/older.deb")
        root.wait_until("failed")
        catalog = root.file("/var/lib/private/fingerpost/service/catalog.db")
        digest = hashlib.sha256(catalog.read_bytes()).hexdigest()
        root.run("systemctl", "start", "fingerpost")
        root.wait_until("failed")
        if (code := root.property("ExecMainStatus")) != "65" or "newer" not in root.log():
            fail(f"{version} ends with {code} for the file of {newer}: {root.log()}")
        if hashlib.sha256(catalog.read_bytes()).hexdigest() != digest:
            fail(f"{version} changed the file of {newer}.")
        aside = f"find {DATA}/ -mindepth 1 -maxdepth 1 ! -name backups -exec mv -t {ASIDE}/before {{}} +"
        root.run("sh", "-c", f"mkdir -p -m 0700 {ASIDE}/before && {aside}")
        root.run("fingerpost", "restore", f"{BACKUPS}/before-upgrade", "--data", DATA)
        root.run("chown", "-R", f"--reference={DATA}/", f"{DATA}/")
        root.run("systemctl", "start", "fingerpost")
        root.wait_until_ready()
        if root.version() != version:
            fail(f"after the rollback, the service is {root.version()}.")
        if missing := saved - root.recorded(key):
            fail(f"{len(missing)} links that were recorded before the backup are missing after the rollback.")
        root.run("fingerpost", "audit", "verify", "--data", DATA)
        body = json.dumps({"url": "yourapp://product/1"}).encode()
        with urllib.request.urlopen(urllib.request.Request(root.url("public", "/resolve"), data=body)) as answer:
            if not json.load(answer)["recorded"]:
                fail("after the rollback, a link is not recorded.")
        print(f"rolled back to {version}: it refuses the newer file ({code}), and has {len(saved)} links of before the backup")

        # --- removal leaves the data, also with purge
        root.run("systemctl", "stop", "fingerpost")
        kept = digests(root.file("/var/lib/private"))
        root.run("systemctl", "start", "fingerpost")
        root.wait_until_ready()
        root.apt("remove", "fingerpost")
        if (state := root.property("ActiveState")) != "inactive":
            fail(f"after the removal, the service is {state}.")
        # The configuration stays until purge.
        if (found := installed_files(root)) != ["etc/fingerpost"]:
            fail(f"removal leaves {', '.join(found)}.")
        root.apt("purge", "fingerpost")
        if found := [place for place in installed_files(root) if place != "etc/fingerpost"]:
            fail(f"purge leaves {', '.join(found)}.")
        if found := sorted(path.name for path in root.file("/etc/fingerpost").iterdir()):
            # The package does not know this file, which the operator wrote.
            if found != ["environment"]:
                fail(f"purge leaves {', '.join(found)} in /etc/fingerpost.")
        left = digests(root.file("/var/lib/private"))
        if left.keys() != kept.keys():
            fail(f"removal changes the files of the data: {', '.join(sorted(left.keys() ^ kept.keys()))}.")
        print(f"removal and purge leave the {len(left)} files of data and backups")
    finally:
        if client:
            client.end()
        root.end()


def wait_for(condition, what):
    for _ in range(1200):
        if condition():
            return
        time.sleep(0.1)
    fail(f"{what}: not within two minutes.")


if __name__ == "__main__":
    main()
