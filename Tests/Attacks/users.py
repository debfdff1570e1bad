"""Other users of the machine, who try to get an answer from the control socket while a service starts."""

import multiprocessing
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from result import Result

#: The umask of the service, and the group of the attackers, who have another user: 0 is the group of the service.
STARTS = ((0o000, 65_534), (0o002, 0))
PROCESSES = 2
ROUNDS = 4
BODY = b'{"name":"attack","scopes":["admin"]}'
MESSAGE = b"POST /admin/v1/keys HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n%s" % (len(BODY), BODY)


def _connect(paths, group, ended, results):
    """Runs in a process: connects to the sockets as fast as possible, and reports the attempts and the first answer."""
    os.setgroups([])
    os.setgid(group)
    os.setuid(65_534)
    attempts, answer = 0, b""
    while not (ended.is_set() or answer):
        for path in paths:
            attempts += 1
            with socket.socket(socket.AF_UNIX) as peer:
                peer.settimeout(5)
                try:
                    peer.connect(path)
                    peer.sendall(MESSAGE)
                    answer = answer or peer.recv(1_000)
                except OSError:
                    pass
    results.put((attempts, answer))


def _start(binary, umask, group):
    """Starts a service in a directory that its group may write to. Returns the attempts and the answers."""
    scratch = tempfile.mkdtemp(prefix="fingerpost-attack.")
    data = os.path.join(scratch, "data")
    os.chmod(scratch, 0o755)
    os.mkdir(data)
    os.chmod(data, 0o775)
    paths = [os.path.join(data, "service", "control.sock"), os.path.join(data, "control.sock")]
    ended, results = multiprocessing.Event(), multiprocessing.Queue()
    attackers = [multiprocessing.Process(target=_connect, args=(paths, group, ended, results)) for _ in range(PROCESSES)]
    for attacker in attackers:
        attacker.start()
    flags = [f"--{port}=127.0.0.1:0" for port in ("public", "admin", "ops")]
    service = subprocess.Popen(
        [binary, "serve", "--data", data, *flags], umask=umask, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        env={**os.environ, "FINGERPOST_LOG_LEVEL": "error"},
    )
    try:
        started = b"".join(service.stdout.readline() for _ in flags)
        time.sleep(0.2)
    finally:
        ended.set()
        found = [results.get(timeout=60) for _ in attackers]
        for attacker in attackers:
            attacker.join()
        service.send_signal(signal.SIGTERM)
        service.wait(60)
        shutil.rmtree(scratch)
    if b"\nops " not in started:
        raise SystemExit(f"the service did not start: {started}")
    return sum(attempts for attempts, _ in found), [answer for _, answer in found if answer]


def other_users(target):
    sent = f"{ROUNDS * len(STARTS)} starts in a directory of mode 0775, umask 0000 and 0002; others connect to the control socket"
    if os.geteuid() != 0:
        return Result(sent, "", skipped="only root can act as another user")
    attempts, faults = 0, []
    for _ in range(ROUNDS):
        for umask, group in STARTS:
            tried, answers = _start(target.service.binary, umask, group)
            attempts += tried
            faults += [f"umask {umask:04o}: another user got {answer[:200]}" for answer in answers]
    return Result(sent, f"{attempts:,} attempts, no answer" if not faults else "answers", faults)


ATTACKS = {"other users": other_users}
