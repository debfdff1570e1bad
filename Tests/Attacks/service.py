"""The service under attack: runs with the demo tenants and its own data directory, observed through /proc and /metrics.
"""

import json
import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

#: Hosts of the tenant in config/examples/shop.yaml: a website's host, and a host with `serves: links`.
WEBSITE = "yourappdomain.com"
CLICKS = "go.yourappdomain.com"


def take_idle_time():
    """Gives this thread, and what it starts, only the processor time that nobody else wants: real attackers run elsewhere and
    take none from the service and its clients."""
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    else:
        os.nice(10)


def take_usual_time():
    """The opposite, for a service or well-behaved clients that an attack starts."""
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def raise_descriptor_limit(wanted):
    """Raises the descriptor limit of this process and its children as far as possible. Returns the new limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    for limits in ((wanted, max(hard, wanted)), (hard, hard)):
        if limits[0] <= soft:
            break
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, limits)
            break
        except (ValueError, OSError):
            continue
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


class Service:
    """Runs until `stop`. `log` is its standard error."""

    def __init__(self, binary, descriptors=None, **environment):
        """`descriptors`: the limit of open files, soft and hard."""
        self.binary = binary

        def prepare():
            take_usual_time()
            if descriptors:
                resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

        self.scratch = tempfile.mkdtemp(prefix="fingerpost-attack.")
        self.data = os.path.join(self.scratch, "data")
        self._out = os.path.join(self.scratch, "out")
        self._err = os.path.join(self.scratch, "err")
        flags = [f"--{port}=127.0.0.1:0" for port in ("public", "admin", "ops")]
        with open(self._out, "wb") as out, open(self._err, "wb") as err:
            self.process = subprocess.Popen(
                [binary, "serve", "--demo", "--data", self.data, *flags],
                stdout=out, stderr=err, stdin=subprocess.DEVNULL,
                env={**os.environ, "FINGERPOST_LOG_LEVEL": "error", **environment},
                preexec_fn=prepare,
            )
        self.pid = self.process.pid
        deadline = time.monotonic() + 60
        while "KEY=" not in self._printed():
            if self.process.poll() is not None or time.monotonic() > deadline:
                raise SystemExit(f"the service did not start: {self.log}")
            time.sleep(0.05)
        text = self._printed()
        self.ports = {name: int(port) for name, port in re.findall(r"^(\w+) +https?://[\d.]+:(\d+)$", text, re.M)}
        self.key = re.search(r"KEY=(\S+)", text).group(1)
        self.public = ("127.0.0.1", self.ports["public"])
        self.admin = ("127.0.0.1", self.ports["admin"])

    def _printed(self):
        with open(self._out, errors="replace") as out:
            return out.read()

    @property
    def log(self):
        with open(self._err, errors="replace") as err:
            return err.read()

    @property
    def is_alive(self):
        return self.process.poll() is None

    def stop(self):
        """Ends the process with SIGTERM. Returns the exit status, or None if it had to be killed after 60 seconds."""
        status = self.process.poll()
        if status is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                status = self.process.wait(60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.scratch, ignore_errors=True)
        return status

    # --- operating system --------------------------------------------------------------------------------------------

    def resident_bytes(self):
        with open(f"/proc/{self.pid}/status") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) * 1024

    def threads(self):
        return len(os.listdir(f"/proc/{self.pid}/task"))

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def cpu_seconds(self):
        with open(f"/proc/{self.pid}/stat") as stat:
            fields = stat.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def wal_bytes(self):
        total = 0
        for folder, _, names in os.walk(self.data):
            for name in names:
                if name.endswith("-wal"):
                    try:
                        total += os.path.getsize(os.path.join(folder, name))
                    except FileNotFoundError:
                        pass  # A checkpoint or a new day removed the file.
        return total

    # --- ports -------------------------------------------------------------------------------------------------------

    def ask(self, port, path, body=None, method=None, timeout=30, **headers):
        """Returns the body of a 2xx answer from port `public`, `admin` (with the key) or `ops`. Raises HTTPError
        otherwise."""
        if port == "admin":
            headers["Authorization"] = f"Bearer {self.key}"
        data = body.encode() if isinstance(body, str) else body
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.ports[port]}{path}", data=data, headers=headers, method=method
        )
        with urllib.request.urlopen(request, timeout=timeout) as answer:
            return answer.read()

    def metric(self, name):
        """The sum of all series of a counter or gauge."""
        text = self.ask("ops", "/metrics").decode()
        return sum(float(value) for value in re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", text, re.M))

    def newest_event(self):
        events = json.loads(self.ask("admin", "/admin/v1/tenants/shop/events?limit=1"))["events"]
        return events[0]["seq"] if events else 0

    def events(self, after):
        """The events of tenant `shop` after `seq`, oldest first."""
        while True:
            page = json.loads(self.ask("admin", f"/admin/v1/tenants/shop/events?after={after}&limit=1000"))["events"]
            if not page:
                return
            yield from page
            after = page[-1]["seq"]


class Watch:
    """Samples the resident size five times a second, to catch peaks between two checks."""

    def __init__(self, service):
        self._service = service
        self._peak = 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while not self._ended.wait(0.2):
            try:
                self._peak = max(self._peak, self._service.resident_bytes())
            except (OSError, AttributeError):
                # The service has ended; the runner notices that itself.
                return

    def take_peak(self):
        """Returns the maximum since the last call."""
        peak, self._peak = max(self._peak, self._service.resident_bytes()), 0
        return peak

    def end(self):
        self._ended.set()
        self._thread.join()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
