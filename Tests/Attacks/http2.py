"""HTTP/2 floods, run by a separate script against a service with TLS."""

import os
import subprocess
import sys
import tempfile

from proxies import make_certificate
from result import Result
from service import Service

_SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "http2_floods.py")


def floods(target):
    # The script needs PyPI's h2, which ./dev attack installs in the build folder.
    python = os.environ.get("ATTACK_PYTHON", sys.executable)
    if not os.path.exists(_SCRIPT):
        return Result("", "", skipped="there is no http2_floods.py")
    if subprocess.run([python, "-c", "import h2"], stderr=subprocess.DEVNULL).returncode != 0:
        return Result("", "", skipped=f"{python} has no module h2: set ATTACK_PYTHON to a Python with h2")
    with tempfile.TemporaryDirectory(prefix="fingerpost-tls.") as folder:
        chain, key = make_certificate(folder)
        service = Service(target.service.binary, FINGERPOST_PUBLIC_TLS_CERTIFICATE=chain, FINGERPOST_PUBLIC_TLS_KEY=key)
        try:
            url = f"https://127.0.0.1:{service.ports['public']}"
            ran = subprocess.run(
                [python, _SCRIPT, "--url", url, "--pid", str(service.pid)], capture_output=True, text=True, timeout=600
            )
        finally:
            status = service.stop()
    lines = [line for line in ran.stdout.splitlines() if line.strip()]
    faults = [f"http2_floods.py ended with {ran.returncode}: {(ran.stdout + ran.stderr)[-600:]}"] if ran.returncode else []
    if status != 0:
        faults.append(f"SIGTERM ended the service with TLS with {status}, not 0")
    return Result("http2_floods.py, to a service with TLS", "; ".join(lines), faults)


ATTACKS = {"HTTP/2 floods": floods}
