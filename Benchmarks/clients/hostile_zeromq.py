# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Those who mean harm at a ZeroMQ face with CURVE: with a key that is on its list, and without. Each act is one blow; what
became of it is counted in `seen`: an error's reason, `closed`, or `silence`."""

import collections
import json
import random
import socket

import zmq

from . import churn
from .hostile_http import Holding
from .hostile_http import Attack as TCPAttack

ABOVE_MESSAGE_LIMIT = 2 << 20
ABOVE_FRAME_LIMIT = 5 << 20
GREETING = b"\xff" + bytes(8) + b"\x7f\x03\x00CURVE" + bytes(15) + b"\x00" + bytes(31)


class Attack:
    """- Property rate: acts a second."""

    rate = 100.0

    def __init__(self, target: dict):
        self.endpoint = target["endpoint"]
        self.keys = churn.Keys(**{name: key.encode() for name, key in target["keys"].items()})
        self.context = zmq.Context()
        self.seen: collections.Counter[str] = collections.Counter()
        self.acts = 0

    def act(self) -> None:
        raise NotImplementedError

    def close(self) -> None:
        self.context.destroy(linger=0)

    def dealer(self, keys: churn.Keys | None = None, routing_id: bytes = b"") -> zmq.Socket:
        return churn.dealer(self.context, self.endpoint, keys or self.keys, routing_id)

    def note_replies(self, dealer: zmq.Socket) -> None:
        """Counts what has come, without waiting."""
        while dealer.poll(0):
            body = dealer.recv_multipart()[-1]
            self.seen[reason(body)] += 1


def reason(body: bytes) -> str:
    """Of an error; `result` otherwise."""
    try:
        answer = json.loads(body)
        # Of a batch the first.
        error = (answer[0] if isinstance(answer, list) else answer).get("error")
    except ValueError:
        return "no JSON"
    return str((error.get("data") or {}).get("reason", error["code"])) if error else "result"


class WrongFrames(Attack):
    rate = 500.0
    messages = [
        [b"x"] * 9 + [churn.UNKNOWN],
        [b"x"] * 200,
        [b"ASNT1", b"{no metadata}", churn.UNKNOWN],
        [b"ASNT1", b'{"authorization":"' + b"x" * 9_000 + b'"}', churn.UNKNOWN],
        [b"ASNT1", b'{"principal":{"kind":"user","app":"default","accountId":"maya"}}', churn.HEALTH],
        [b"ASNT1", b'{"timeoutMs":-1}', churn.UNKNOWN],
        [b""], [b"", b""], [b"\0" * 100], [b"{"], [b"[]"], [b"[" * 5_000],
    ]

    def __init__(self, target):
        super().__init__(target)
        self.client = self.dealer()

    def act(self):
        self.acts += 1
        self.client.send_multipart(self.messages[self.acts % len(self.messages)])
        self.note_replies(self.client)


class GiantFrames(Attack):
    """One frame, or several together, above a message's limit, which is told; one above a frame's, which costs the
    connection."""

    rate = 10.0

    def act(self):
        self.acts += 1
        client = self.dealer()
        way = self.acts % 3
        if way == 0:
            client.send_multipart([b"x" * 600_000, b"", b"y" * 600_000])
        else:
            client.send(b"x" * (ABOVE_MESSAGE_LIMIT if way == 1 else ABOVE_FRAME_LIMIT))
        if client.poll(500):
            self.note_replies(client)
        else:
            self.seen["silence"] += 1
        client.close()


class Flood(Attack):
    """Calls in bursts, without a pause for their answers; one of two clients never reads any."""

    rate = 100.0
    burst = 50

    def __init__(self, target):
        super().__init__(target)
        self.reading, self.deaf = self.dealer(), self.dealer()

    def act(self):
        self.acts += 1
        for client in (self.reading, self.deaf):
            for _ in range(self.burst // 2):
                try:
                    client.send(churn.UNKNOWN, zmq.DONTWAIT)
                except zmq.Again:
                    self.seen["held back"] += 1
                    break
        self.note_replies(self.reading)


class DuplicateRoutingIds(Attack):
    """Clients that call themselves alike, and ones that claim ids as the server makes them up."""

    rate = 50.0

    def __init__(self, target):
        super().__init__(target)
        self.twin = self.dealer(routing_id=b"twin")

    def act(self):
        self.acts += 1
        made_up = b"\0" + random.randbytes(4) if self.acts % 4 else b"\0\x6b\x8b\x45" + bytes([self.acts % 256])
        with self.dealer(routing_id=b"twin" if self.acts % 2 else made_up) as client:
            client.send(churn.UNKNOWN)
            if client.poll(50):
                self.note_replies(client)
            else:
                self.seen["silence"] += 1
        self.twin.send(churn.UNKNOWN)
        self.note_replies(self.twin)


class UnreadAnswers(Attack):
    """Batches, for anyone to call, with long answers. Three in four clients never read theirs; now and then one leaves."""

    rate = 100.0
    clients = 24
    request = json.dumps([{"jsonrpc": "2.0", "id": number, "method": "rpc.discover"} for number in range(20)]).encode()

    def __init__(self, target):
        super().__init__(target)
        self.held = [self.client() for _ in range(self.clients)]

    def client(self) -> zmq.Socket:
        client = churn.dealer(self.context, self.endpoint, self.keys, receive_limit=1)
        client.sndtimeo = 1_000
        return client

    def act(self):
        self.acts += 1
        slot = self.acts % self.clients
        if self.acts % 101 == 0:
            self.held[slot].close()
            self.held[slot] = self.client()
        try:
            self.held[slot].send(self.request)
        except zmq.Again:
            self.seen["held back"] += 1
        if slot % 4 == 0:
            self.note_replies(self.held[slot])


class WrongKeys(Attack):
    """A pair that is not listed, another server's key, and no keys at all."""

    rate = 50.0

    def act(self):
        self.acts += 1
        public, secret = zmq.curve_keypair()
        way = self.acts % 3
        if way == 0:
            client = self.dealer(churn.Keys(self.keys.server, public, secret))
        elif way == 1:
            client = self.dealer(churn.Keys(public, self.keys.public, self.keys.secret))
        else:
            client = churn.dealer(self.context, self.endpoint)
        with client:
            client.send(churn.UNKNOWN)
            self.seen["answered" if client.poll(5) else "silence"] += 1


class GarbageHandshakes(TCPAttack):
    rate = 200.0

    def act(self):
        self.acts += 1
        garbage = [
            random.randbytes(5_000), b"GET / HTTP/1.1\r\n\r\n", GREETING + random.randbytes(200),
            GREETING + b"\x04\xc8\x05HELLO" + random.randbytes(194),
            GREETING + b"\x04\xc8\x05HELLO\x01\x00" + bytes(192), b"\xff" * 64, GREETING.replace(b"CURVE", b"NULL\0"),
        ][self.acts % 7]
        with self.connect() as connection:
            connection.settimeout(0.05)
            try:
                connection.sendall(garbage)
                # Its own greeting, and then the end.
                while connection.recv(4_096):
                    pass
                self.seen["closed"] += 1
            except ConnectionError:
                self.seen["closed"] += 1
            except TimeoutError:
                self.seen["silence"] += 1


class SilentGreetings(Holding):
    """A greeting, or half of one, and then silence: each holds a descriptor until the handshake's time is over."""

    rate = 300.0

    def begin(self, connection):
        connection.sendall(GREETING if self.acts % 2 else GREETING[:11])
        return connection


class HalfOpen(Holding):
    rate = 300.0

    def begin(self, connection):
        if self.acts % 2:
            connection.shutdown(socket.SHUT_WR)
        return connection


LISTED = {
    "wrong frames": WrongFrames, "giant frames": GiantFrames, "floods": Flood,
    "duplicate routing ids": DuplicateRoutingIds, "unread answers": UnreadAnswers}
UNLISTED = {
    "garbage handshakes": GarbageHandshakes, "wrong keys": WrongKeys, "silence after the greeting": SilentGreetings,
    "half-open TCP": HalfOpen}
