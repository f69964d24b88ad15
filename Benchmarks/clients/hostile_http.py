# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Those who mean harm over HTTP. Each act is one blow; what became of it is counted in `seen`: a status, or `closed`."""

import base64
import collections
import json
import os
import random
import select
import socket

from .churn import RESET, SOURCES, UNKNOWN

HEAD = b"POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
LARGEST_BODY = 1 << 20
PATIENCE_SECONDS = 5
BATCH = 100


class Attack:
    """- Property rate: acts a second."""

    rate = 100.0

    def __init__(self, target: dict):
        self.port = target["port"]
        self.seen: collections.Counter[str] = collections.Counter()
        self.acts = 0
        # Of the last answer that was read.
        self.body = b""

    def act(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        pass

    def connect(self) -> socket.socket:
        connection = socket.socket()
        connection.settimeout(PATIENCE_SECONDS)
        # So that the port is free at once, however the connection ends.
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        connection.bind((SOURCES[self.acts % len(SOURCES)], 0))
        connection.connect(("127.0.0.1", self.port))
        return connection

    def note_answer(self, connection: socket.socket) -> bool:
        """Reads one whole answer and counts its status.
        :return: whether the connection goes on."""
        try:
            text = b""
            while b"\r\n\r\n" not in text:
                piece = connection.recv(65_536)
                if not piece:
                    raise ConnectionResetError
                text += piece
            head, _, body = text.partition(b"\r\n\r\n")
            self.seen[head.split(b" ", 2)[1].decode()] += 1
            length = next(
                int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            while len(body) < length:
                body += connection.recv(65_536) or b"\0" * length
            self.body = body
            return b"connection: close" not in head.lower()
        except (ConnectionError, TimeoutError) as error:
            self.seen["silence" if isinstance(error, TimeoutError) else "closed"] += 1
            return False

    def strike(self, *pieces: bytes) -> None:
        """Sends on a connection of its own and waits for the answer."""
        with self.connect() as connection:
            try:
                for piece in pieces:
                    connection.sendall(piece)
            except ConnectionError:
                # Refused before it was through; the answer may be there all the same.
                pass
            self.note_answer(connection)


class Holding(Attack):
    """Keeps so many connections open and does something to each in turn; one that was closed is opened again."""

    connections = 150

    def __init__(self, target: dict):
        super().__init__(target)
        self.held: list[socket.socket | None] = [None] * self.connections

    def act(self) -> None:
        self.acts += 1
        slot = self.acts % self.connections
        connection = self.held[slot]
        try:
            if connection is None:
                self.held[slot] = self.begin(self.connect())
            else:
                self.go_on(connection)
        except (ConnectionError, TimeoutError):
            self.seen["closed"] += 1
            if connection:
                connection.close()
            self.held[slot] = None

    def begin(self, connection: socket.socket) -> socket.socket:
        return connection

    def go_on(self, connection: socket.socket) -> None:
        """- Raises: `ConnectionError` when the server has closed it."""
        try:
            if not connection.recv(4096, socket.MSG_DONTWAIT):
                raise ConnectionResetError
        except BlockingIOError:
            pass

    def close(self) -> None:
        for connection in self.held:
            if connection:
                connection.close()


class Slowloris(Holding):
    """Heads, and bodies, that come a line or a byte at a time and never end."""

    rate = 300.0

    def begin(self, connection):
        connection.sendall(HEAD if self.acts % 2 else HEAD + b"Content-Length: 1000\r\n\r\n{")
        return connection

    def go_on(self, connection):
        super().go_on(connection)
        connection.sendall(b" " if self.acts % 2 == 0 else b"X-A: b\r\n")


class HalfOpen(Holding):
    """Connections on which nothing comes, and whose other half some have closed."""

    rate = 300.0

    def begin(self, connection):
        if self.acts % 2:
            connection.shutdown(socket.SHUT_WR)
        return connection


class GiantHeaders(Attack):
    rate = 100.0

    def act(self):
        self.acts += 1
        self.strike([
            HEAD + b"X-A: " + b"a" * 60_000 + b"\r\n\r\n",
            HEAD + b"".join(b"X-%d: %s\r\n" % (number, b"a" * 100) for number in range(300)) + b"\r\n",
            b"GET /" + b"a" * 60_000 + b" HTTP/1.1\r\nHost: h\r\n\r\n",
        ][self.acts % 3])


class GiantBodies(Attack):
    """Bodies that are announced as too large, that are, and that never end."""

    rate = 10.0

    def act(self):
        self.acts += 1
        megabyte = b"x" * LARGEST_BODY
        way = self.acts % 3
        if way == 0:
            self.strike(HEAD + b"Content-Length: 99999999999\r\n\r\n")
        elif way == 1:
            self.strike(HEAD + b"Content-Length: %d\r\n\r\n" % (2 * LARGEST_BODY), megabyte, megabyte)
        else:
            self.strike(HEAD + b"Transfer-Encoding: chunked\r\n\r\n", *[b"100000\r\n" + megabyte + b"\r\n"] * 10)


class DeepJSON(Attack):
    """A megabyte of brackets, in place of a request, inside of one, and closed again as they should be."""

    rate = 10.0
    bodies = [
        b"[" * (LARGEST_BODY - 1),
        b'{"a":' * (LARGEST_BODY // 5 - 1),
        b'{"jsonrpc":"2.0","id":1,"method":"account.get","params":' + b"[" * 500_000 + b"]" * 500_000 + b"}",
        b'{"jsonrpc":"2.0","id":' + b"[" * 500_000,
    ]

    def act(self):
        self.acts += 1
        body = self.bodies[self.acts % len(self.bodies)]
        self.strike(HEAD + b"Content-Length: %d\r\n\r\n" % len(body), body)


class BadTokens(Holding):
    """Made-up keys, and good tokens with another signature, which has to be checked, from several addresses, without
    waiting for answers."""

    rate = 500.0

    def __init__(self, target):
        super().__init__(target)
        self.signed = target["token"].rpartition(".")[0]

    def begin(self, connection):
        self.send(connection)
        return connection

    def go_on(self, connection):
        try:
            text = connection.recv(65_536, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        if not text:
            raise ConnectionResetError
        for status in ("401", "429"):
            self.seen[status] += text.count(b"HTTP/1.1 " + status.encode())
        self.send(connection)

    def send(self, connection: socket.socket) -> None:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "account.get"}).encode()
        credential = self.forged_token() if self.acts % 4 == 0 else os.urandom(24).hex()
        connection.sendall(
            HEAD + b"Authorization: Bearer %s\r\nContent-Length: %d\r\n\r\n" % (credential.encode(), len(body)) + body)

    def forged_token(self) -> str:
        return f"{self.signed}.{base64.urlsafe_b64encode(os.urandom(64)).decode().rstrip('=')}"


class Pipelining(Attack):
    """A hundred requests in one go. Half of the clients read the answers; the others never do."""

    rate = 10.0
    requests = 100

    def act(self):
        self.acts += 1
        request = HEAD + b"Content-Length: %d\r\n\r\n" % len(UNKNOWN) + UNKNOWN
        with self.connect() as connection:
            connection.sendall(request * self.requests)
            if self.acts % 2:
                return
            text = b""
            while text.count(b"HTTP/1.1 200") < self.requests:
                piece = connection.recv(65_536)
                if not piece:
                    self.seen["closed"] += 1
                    return
                text += piece
            self.seen["200"] += self.requests


class Garbage(Attack):
    """Bytes that are no HTTP: random ones, a TLS handshake, ZeroMQ's greeting."""

    rate = 200.0

    def act(self):
        self.acts += 1
        self.strike([
            random.randbytes(2_000) + b"\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + random.randbytes(508) + b"\r\n\r\n",
            b"\xff" + bytes(8) + b"\x7f\x03\x00CURVE" + bytes(47) + b"\r\n\r\n",
            b"POST /rpc\r\n\r\n",
        ][self.acts % 4])


def batch(method: str) -> bytes:
    body = json.dumps([{"jsonrpc": "2.0", "id": number, "method": method} for number in range(BATCH)]).encode()
    return HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body


class UnreadAnswers(Holding):
    """Batches, for anyone to call, whose answers are as long as any may be. Two in three clients never read theirs."""

    rate = 300.0
    request = batch("rpc.discover")

    def begin(self, connection):
        connection.sendall(self.request)
        return connection

    def go_on(self, connection):
        if self.acts % self.connections % 3 == 0:
            if not self.note_answer(connection):
                raise ConnectionResetError
            connection.sendall(self.request)
            return
        poll = select.poll()
        poll.register(connection, select.POLLRDHUP)
        if poll.poll(0):
            raise ConnectionResetError


class HealthBatches(Attack):
    """Each member would have the gateway ask every service, which is well all the time."""

    rate = 50.0
    request = batch("rpc.health")

    def act(self):
        self.acts += 1
        self.strike(self.request)
        if b"NOT_SERVING" in self.body:
            self.seen["NOT_SERVING"] += 1


ATTACKS = {
    "slowloris": Slowloris, "half-open connections": HalfOpen, "giant headers": GiantHeaders,
    "giant bodies": GiantBodies, "deep JSON": DeepJSON, "floods of bad tokens": BadTokens, "pipelining": Pipelining,
    "garbage": Garbage, "unread answers": UnreadAnswers, "batches of rpc.health": HealthBatches}
