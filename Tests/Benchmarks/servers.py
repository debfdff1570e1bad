"""Processes of a benchmark, each on free loopback ports. They all end with the benchmark, also after an error."""

import os
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_until(condition, seconds, what):
    """Polls every few milliseconds. Ends the benchmark after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"bench: {what} within {seconds} seconds.")
        time.sleep(0.002)


class Scratch:
    """A context manager: a folder, and processes that end with it."""

    def __init__(self, parent=None):
        self.folder = tempfile.mkdtemp(prefix="fingerpost-bench.", dir=parent)
        self._processes = []

    def path(self, name):
        return os.path.join(self.folder, name)

    def start(self, *command, output=None, stdin=subprocess.DEVNULL, **environment):
        out = open(output, "wb") if output else subprocess.DEVNULL
        errors = open(self.path("errors"), "ab")
        process = subprocess.Popen(
            command, stdin=stdin, stdout=out, stderr=errors, env={**os.environ, **environment},
            start_new_session=True,
        )
        self._processes.append(process)
        return process

    def run(self, *command, **environment):
        """Returns a command's output. The command ends with the benchmark, and its failure ends the benchmark."""
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **environment}, start_new_session=True,
        )
        self._processes.append(process)
        output, errors = process.communicate()
        if process.returncode != 0:
            raise SystemExit(f"bench: {' '.join(command)} ended with {process.returncode}: {errors or output}")
        return output

    def end(self, process):
        """Sends SIGTERM to the process and its children, which share a process group, and SIGKILL after ten seconds."""
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in self._processes:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGTERM)
        for process in self._processes:
            self.end(process)
        shutil.rmtree(self.folder, ignore_errors=True)


class Service:
    """A running `fingerpost serve` that is ready. `start_seconds` is how long the start took."""

    def __init__(self, scratch, binary, data, *flags, **environment):
        self.data = data
        output = scratch.path(f"out-{free_port()}")
        self.ops = free_port()
        command = [binary, "serve", "--data", data, *flags, f"--ops=127.0.0.1:{self.ops}"]
        began = time.perf_counter()
        self.process = scratch.start(
            *command, "--public=127.0.0.1:0", "--admin=127.0.0.1:0", output=output,
            **{"FINGERPOST_LOG_LEVEL": "error", **environment},
        )
        self._scratch = scratch
        wait_until(self._is_ready, 600, f"the service was not ready ({scratch.path('errors')})")
        self.start_seconds = time.perf_counter() - began
        wait_until(lambda: "admin " in _read(output), 10, "the service did not print its ports")
        if "--demo" in flags:
            wait_until(lambda: "KEY=" in _read(output), 10, "the service did not print its key")
            self.key = re.search(r"KEY=(\S+)", _read(output)).group(1)
        ports = dict(re.findall(r"^(\w+) +http://[\d.]+:(\d+)$", _read(output), re.M))
        self.public = f"127.0.0.1:{ports['public']}"
        self.admin = f"127.0.0.1:{ports['admin']}"

    def _is_ready(self):
        if self.process.poll() is not None:
            raise SystemExit(f"bench: the service ended: {_read(self._scratch.path('errors'))}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.ops}/readyz", timeout=1) as answer:
                return answer.status == 200
        except OSError:
            return False

    def ask_admin(self, method, path, body=None, timeout=3_600, **headers):
        request = urllib.request.Request(
            f"http://{self.admin}/admin/v1/{path}", data=body, method=method,
            headers={"Authorization": f"Bearer {self.key}", **headers},
        )
        try:
            with urllib.request.urlopen(request, timeout=timeout) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            raise SystemExit(f"bench: {method} {path}: {error.code} {error.read()[:2_000].decode()}") from None

    def resident_bytes(self):
        return resident_bytes(self.process.pid)

    def stop(self):
        self._scratch.end(self.process)


def resident_bytes(pid):
    return int(re.search(r"VmRSS:\s+(\d+)", _read(f"/proc/{pid}/status")).group(1)) * 1_024


def start_yardstick(scratch, binary, name, *arguments):
    """Starts `Yardsticks NAME`. Returns the process and HOST:PORT."""
    output = scratch.path(name)
    process = scratch.start(binary, name, *arguments, output=output)
    wait_until(lambda: f"{name} http://" in _read(output), 10, f"{name} did not listen")
    return process, re.search(r"http://(\S+)", _read(output)).group(1)


def start_nginx(scratch):
    """Starts nginx with a constant answer and one worker per core. Returns HOST:PORT."""
    port = free_port()
    folder = scratch.path("nginx")
    os.mkdir(folder)
    temporary = "\n".join(
        f"{name}_temp_path {folder}/{name};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    with open(f"{folder}/nginx.conf", "w") as file:
        file.write(
            f"""{'user root;' if os.geteuid() == 0 else ''}
            worker_processes auto; daemon off; pid {folder}/pid; error_log {folder}/errors crit;
            events {{ worker_connections 1024; }}
            http {{
                access_log off; keepalive_requests 1000000000; default_type application/json; {temporary}
                server {{ listen 127.0.0.1:{port}; location / {{ return 200 '{{"outcome":"nothing"}}'; }} }}
            }}"""
        )
    scratch.start("/usr/sbin/nginx", "-p", folder, "-c", f"{folder}/nginx.conf")

    def listens():
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", port)) == 0

    wait_until(listens, 10, "nginx did not listen")
    return f"127.0.0.1:{port}"


def _read(path):
    with open(path, errors="replace") as file:
        return file.read()
