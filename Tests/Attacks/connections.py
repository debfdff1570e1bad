"""An HTTP/1.1 client that keeps its connections and sends many requests concurrently."""

import asyncio
import collections


class Connections:
    """Connections to one port of the loopback interface. A few idle ones are kept for the next request."""

    _MOST_KEPT = 8

    def __init__(self, port):
        self._port = port
        self._kept = collections.deque()

    async def ask(self, request, fresh=False):
        """Returns the status, the head in lower case and the body. `fresh` opens a new connection."""
        while self._kept and not fresh:
            reader, writer = self._kept.pop()
            if reader.at_eof() or writer.is_closing():
                writer.close()
                continue
            try:
                return await self._answer(reader, writer, request, keep=True)
            except (OSError, asyncio.IncompleteReadError):
                # A server may close an idle connection at any time, so the client retries (RFC 9112, 9.3.1).
                continue
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        return await self._answer(reader, writer, request, keep=not fresh)

    async def _answer(self, reader, writer, request, keep):
        try:
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            body = await self._body(reader, head)
        except BaseException:
            writer.close()
            raise
        if keep and b"connection: close" not in head and len(self._kept) < self._MOST_KEPT:
            self._kept.append((reader, writer))
        else:
            writer.close()
        return int(head[9:12]), head, body

    @staticmethod
    async def _body(reader, head):
        if b"transfer-encoding: chunked" in head:
            body = b""
            while size := int(await reader.readline(), 16):
                body += await reader.readexactly(size)
                await reader.readexactly(2)
            await reader.readexactly(2)
            return body
        if head[9:12] in (b"204", b"304"):
            return b""
        return await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\r\n")[0]))

    def close(self):
        while self._kept:
            self._kept.pop()[1].close()
