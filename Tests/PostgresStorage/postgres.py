"""A PostgreSQL primary with a standby, and the connections of nodes to them, which can be cut."""

import atexit
import os
import shutil
import signal
import socket
import subprocess
import threading
import time

AS_POSTGRES = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []


class Server:
    """A PostgreSQL server with its own folder for data and socket. `options` are more of its settings, `disk` limits them."""

    def __init__(self, bin, folder, options="", port=5432, disk="1g"):
        self.bin, self.folder, self.data, self.options, self.port = bin, folder, folder + "/db", options, port
        if not os.path.isdir(folder):
            os.mkdir(folder)
        if AS_POSTGRES:
            # A disk of its own, which can be filled.
            subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={disk}", "fault-fleet", folder], check=True)
            atexit.register(subprocess.run, ["umount", "-l", folder], stderr=subprocess.DEVNULL)
            shutil.chown(folder, "postgres")
        atexit.register(self.stop, "immediate", check=False)

    def run(self, program, *words, check=True, **options):
        return subprocess.run(
            [*AS_POSTGRES, f"{self.bin}/{program}", *words],
            check=check,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL if not check else None,
            cwd="/",
            **options,
        )

    def create(self):
        self.run("initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync")
        return self

    def copy(self, primary):
        """Becomes a standby of another server."""
        shutil.rmtree(self.data, ignore_errors=True)
        name = os.path.basename(self.folder)
        self.run(
            "pg_basebackup", "-h", primary.folder, "-U", "postgres", "-D", self.data, "-R", "-c", "fast", "-X", "stream",
            "-d", f"host={primary.folder} user=postgres application_name={name}",
        )
        return self

    def start(self):
        options = f"-k {self.folder} -p {self.port} -c listen_addresses= -c max_connections=200 -c wal_keep_size=512MB {self.options}"
        self.run("pg_ctl", "-D", self.data, "-w", "-l", self.folder + "/log", "-o", options, "start")
        return self

    def stop(self, mode="immediate", check=True):
        if os.path.isdir(self.data):
            self.run("pg_ctl", "-D", self.data, "-m", mode, "-w", "stop", check=check)

    def remove(self):
        self.stop()
        if AS_POSTGRES:
            subprocess.run(["umount", "-l", self.folder], check=True)

    def is_running(self):
        return self.run("pg_ctl", "-D", self.data, "status", check=False).returncode == 0

    def fill(self):
        # Without a buffer, whose rest could not be written when the file is closed.
        with open(self.folder + "/filler", "wb", buffering=0) as file:
            try:
                while True:
                    file.write(bytes(1 << 16))
            except OSError:
                pass

    def empty(self):
        os.unlink(self.folder + "/filler")
        if not self.is_running():
            self.start()

    def promote(self):
        # The signal is lost if it arrives while the standby starts again, because its receiver was killed.
        for _ in range(6):
            self.run("pg_ctl", "-D", self.data, "-w", "-t", "10", "promote", check=False)
            if self.sql("SELECT pg_is_in_recovery()", check=False) == "f":
                return
        raise RuntimeError("the standby was not promoted within a minute")

    def sql(self, text, database="postgres", check=True):
        run = subprocess.run(
            ["psql", "-h", self.folder, "-p", str(self.port), "-U", "postgres", "-d", database, "-Atqc", text],
            capture_output=True, text=True, timeout=30,
        )
        if check and run.returncode != 0:
            raise RuntimeError(f"{text}: {run.stderr}")
        return run.stdout.strip()

    def processes(self):
        """The server and its children."""
        with open(self.data + "/postmaster.pid") as file:
            first = int(file.readline())
        children = subprocess.run(["pgrep", "-P", str(first)], capture_output=True, text=True).stdout.split()
        return [first, *map(int, children)]

    def signal(self, number):
        for process in self.processes():
            try:
                os.kill(process, number)
            except ProcessLookupError:
                pass

    def receiver(self, number):
        """Signals the process of a standby that receives changes."""
        for process in self.processes():
            try:
                with open(f"/proc/{process}/cmdline") as file:
                    if "walreceiver" in file.read():
                        os.kill(process, number)
            except (FileNotFoundError, ProcessLookupError):
                pass


class Link:
    """A socket in a folder of its own that leads to a server. `is_cut` refuses and ends all connections."""

    def __init__(self, folder, server):
        self.folder, self.server, self.is_cut, self.open = folder, server, False, set()
        self.lock = threading.Lock()
        os.mkdir(folder)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(folder + "/.s.PGSQL.5432")
        self.listener.listen(64)
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.socket(socket.AF_UNIX)
            try:
                if self.is_cut:
                    raise OSError
                server.connect(self.server.folder + "/.s.PGSQL.5432")
            except OSError:
                client.close()
                continue
            with self.lock:
                self.open.add((client, server))
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self.pump, args=(source, target, (client, server)), daemon=True).start()

    def pump(self, source, target, pair):
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        self.end(pair)

    def end(self, pair):
        with self.lock:
            self.open.discard(pair)
        for end in pair:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            end.close()

    def reset(self):
        """Ends all connections, wherever their statements are."""
        for pair in list(self.open):
            self.end(pair)

    def cut(self):
        self.is_cut = True
        self.reset()

    def heal(self):
        self.is_cut = False


def stopped(server, seconds):
    """Stops a server's processes as a machine that hangs."""
    server.signal(signal.SIGSTOP)
    time.sleep(seconds)
    server.signal(signal.SIGCONT)
