#!/usr/bin/env python3
"""check.py FINGERPOST: verifies signed tables with the packages joserfc and cryptography.

The tables are those of `table sign`, and of `table export` from a running server. Both packages must accept each table
with the key that apps pin, and refuse it with the other key and after a change of a bit. cryptography gets every bit of
the table, joserfc every bit of the first line and a part of the rest.
"""

import base64
import json
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from joserfc import jwk, jws
from joserfc.errors import JoseError

EXAMPLE = Path(__file__).parent.parent.parent / "config/examples/shop.yaml"
JOSERFC_BITS = 2_000
#: Both packages reject damaged text with ValueError or a subclass, such as UnicodeDecodeError.
REFUSED = (ValueError, InvalidSignature, JoseError)


def decoded(text):
    return base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))


def verify_with_joserfc(table, key):
    """Verifies the table as a JWS with a detached, unencoded payload (RFC 7797)."""
    line, payload = split(table)
    header, middle, signature = line.split(b".")
    if middle:
        raise ValueError("the payload must be detached")
    for part in (header, signature):
        # joserfc ignores the unused bits at the end of base64url.
        if base64.urlsafe_b64encode(decoded(part)).rstrip(b"=") != part:
            raise ValueError("the line has another spelling")
    result = jws.deserialize_compact(line, jwk.import_key(key), algorithms=["EdDSA"], payload=payload)
    if result.headers().get("b64") is not False:
        raise ValueError("the payload must be unencoded")


def verify_with_cryptography(table, key):
    """Verifies the Ed25519 signature over header, '.' and payload."""
    line, payload = split(table)
    header, middle, signature = line.split(b".")
    if middle:
        raise ValueError("the payload must be detached")
    if json.loads(decoded(header)).get("kid") != key["kid"]:
        raise ValueError("another key signed the table")
    if base64.urlsafe_b64encode(decoded(signature)).rstrip(b"=") != signature:
        raise ValueError("the signature has another spelling")
    Ed25519PublicKey.from_public_bytes(decoded(key["x"].encode())).verify(decoded(signature), header + b"." + payload)


def split(table):
    line, separator, payload = table.partition(b"\n")
    if not separator:
        raise ValueError("the payload is missing")
    return line, payload


def accepts(verify, table, key):
    try:
        verify(table, key)
        return True
    except REFUSED:
        return False


def flipped(table, bit):
    changed = bytearray(table)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def check(name, table, key, other):
    line_bits = (table.index(b"\n") + 1) * 8
    bits = range(len(table) * 8)
    step = max(1, (len(bits) - line_bits) // JOSERFC_BITS)
    for package, verify, chosen in (
        ("cryptography", verify_with_cryptography, bits),
        ("joserfc", verify_with_joserfc, [*range(line_bits), *range(line_bits, len(bits), step)]),
    ):
        if not accepts(verify, table, key):
            sys.exit(f"{name}: {package} refuses the table.")
        if accepts(verify, table, other):
            sys.exit(f"{name}: {package} accepts the table with another key.")
        accepted = [bit for bit in chosen if accepts(verify, flipped(table, bit), key)]
        if accepted:
            sys.exit(f"{name}: {package} accepts the table with one of the bits {accepted[:10]} flipped.")
        print(f"{name}: {package} accepts {len(table):,} bytes, and refuses {len(chosen):,} flipped bits")


class Tool:
    def __init__(self, binary):
        self.binary = binary

    def run(self, *arguments):
        done = subprocess.run([self.binary, "table", *arguments], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr

    def must(self, *arguments):
        status, text = self.run(*arguments)
        if status:
            sys.exit(f"fingerpost table {' '.join(arguments)} ended with {status}: {text}")
        return text


def exported(tool, folder, key_file, pinned):
    """The table of a running server."""
    configuration, output = folder / "fingerpost.yaml", folder / "exported.table"
    configuration.write_text(f'tables: {{signingKey: "{key_file}"}}\n')
    free = [f"--{port}=127.0.0.1:0" for port in ("public", "admin", "ops")]
    log = open(folder / "log", "w")
    service = subprocess.Popen(
        [tool.binary, "serve", "--demo", "--data", folder / "data", "--config", configuration, *free],
        stdout=subprocess.PIPE, stderr=log, text=True,
    )
    try:
        address = None
        for line in service.stdout:
            words = line.split()
            if words[:1] == ["public"]:
                address = words[-1]
            if words[:1] == ["ops"]:
                break
        if not address:
            sys.exit(f"the service did not start: {(folder / 'log').read_text()}")
        command = ["export", "shop", "--app", "ios", "--server", address, "--output", str(output)]
        command += [part for key in pinned for part in ("--public-key", key["x"])]
        deadline = time.monotonic() + 30
        while True:
            status, text = tool.run(*command)
            if status == 0:
                return output.read_bytes()
            # The service signs its tables after it has started.
            if time.monotonic() > deadline:
                sys.exit(f"the service gave no table within 30 seconds: {text}")
            time.sleep(0.1)
    finally:
        service.terminate()
        service.wait(30)
        log.close()


def public_key(path):
    """The public part of a key file."""
    return {name: value for name, value in json.loads(path.read_text()).items() if name != "d"}


def main():
    # RFC 9864 prefers the name Ed25519, which most libraries do not know yet.
    warnings.filterwarnings("ignore", message="EdDSA is deprecated")
    tool = Tool(str(Path(sys.argv[1]).resolve()))
    with tempfile.TemporaryDirectory(prefix="fingerpost-check.") as name:
        folder = Path(name)
        key_file, signed = folder / "table.jwk", folder / "signed.table"
        tool.must("keys", "create", str(key_file))
        current, other = public_key(key_file), public_key(Path(f"{key_file}.next"))
        tool.must(
            "sign", str(EXAMPLE), "--app", "ios", "--signing-key", str(key_file), "--revision", "7",
            "--settings-revision", "3", "--output", str(signed),
        )
        check("table sign", signed.read_bytes(), current, other)
        check("table export", exported(tool, folder, key_file, [current, other]), current, other)


if __name__ == "__main__":
    main()
