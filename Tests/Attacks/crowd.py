"""Many concurrent connections in one thread."""

import select
import socket
import time
from collections import namedtuple

End = namedtuple("End", "tag after status")


class Crowd:
    """Records when the server ended each connection, and with which status."""

    def __init__(self, address):
        self._address = address
        self._poll = select.epoll()
        self._open = {}
        self.ended = []
        self.refused = 0

    @property
    def count(self):
        return len(self._open)

    def open(self, count, start=b"", tag=None, source=None):
        for _ in range(count):
            peer = socket.socket()
            peer.setblocking(False)
            try:
                if source:
                    peer.setsockopt(socket.IPPROTO_IP, getattr(socket, "IP_BIND_ADDRESS_NO_PORT", 24), 1)
                    peer.bind((source, 0))
                if peer.connect_ex(self._address) not in (0, 115):
                    raise OSError("refused")
            except OSError:
                self.refused += 1
                peer.close()
                continue
            self._open[peer.fileno()] = [peer, start, tag, time.monotonic(), 0]
            self._poll.register(peer, select.EPOLLIN | select.EPOLLRDHUP | (select.EPOLLOUT if start else 0))

    def send(self, data, tag):
        for peer, start, its_tag, _, _ in list(self._open.values()):
            if its_tag == tag and not start and data:
                try:
                    peer.send(data)
                except OSError:
                    pass  # The socket's buffer is full, or poll reports that it is closed.

    def poll(self, seconds):
        """Reads from all connections for `seconds`."""
        deadline = time.monotonic() + seconds
        while self._open and (left := deadline - time.monotonic()) > 0:
            for number, event in self._poll.poll(left):
                self._handle(number, event)

    def _handle(self, number, event):
        entry = self._open.get(number)
        if entry is None:
            return
        peer, start, tag, begin, status = entry
        if event & select.EPOLLOUT and start:
            try:
                entry[1] = start[peer.send(start) :]
            except OSError:
                pass
            if not entry[1]:
                self._poll.modify(number, select.EPOLLIN | select.EPOLLRDHUP)
        if event & (select.EPOLLIN | select.EPOLLRDHUP | select.EPOLLHUP | select.EPOLLERR):
            try:
                data = peer.recv(4096)
            except BlockingIOError:
                return
            except OSError:
                data = b""
            if data:
                if not status and data[:5] == b"HTTP/":
                    entry[4] = int(data[9:12])
                return
            del self._open[number]
            self._poll.unregister(number)
            peer.close()
            self.ended.append(End(tag, time.monotonic() - begin, status))

    def leave(self, count):
        """Closes the `count` oldest connections."""
        for number in list(self._open)[:count]:
            peer, *_ = self._open.pop(number)
            self._poll.unregister(number)
            peer.close()

    def close(self):
        for peer, *_ in self._open.values():
            peer.close()
        self._open.clear()
        self._poll.close()

    def finish_sending(self):
        """Closes the sending side of each connection."""
        for peer, *_ in self._open.values():
            try:
                peer.shutdown(socket.SHUT_WR)
            except OSError:
                pass  # The server has already closed it.
