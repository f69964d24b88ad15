# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Connects and disconnects, one after the other, in every way a client can leave.

A client that closes first keeps its port for a minute (TIME_WAIT), and one address has some 28,000 of them: so clients
come from several addresses of the loopback in turn, and those that reset their connection keep none."""

import itertools
import json
import socket
import struct
from dataclasses import dataclass

import zmq

RESET = struct.pack("ii", 1, 0)
SOURCES = [f"127.0.1.{number}" for number in range(1, 9)]
HEALTH = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "rpc.health"}).encode()
# A call that the gateway answers by itself.
UNKNOWN = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "no.such"}).encode()
PATIENCE_MILLISECONDS = 20_000


class Unanswered(Exception):
    """A call on a new connection had no answer."""


def http(port: int, count: int) -> None:
    """A quarter each: says nothing, leaves in the middle of a request, calls and leaves, calls and resets."""
    head = b"POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(UNKNOWN)
    sources = itertools.cycle(SOURCES)
    for number in range(count):
        way = number % 4
        with socket.socket() as connection:
            connection.settimeout(PATIENCE_MILLISECONDS / 1000)
            connection.bind((next(sources), 0))
            connection.connect(("127.0.0.1", port))
            if way == 1:
                connection.sendall(head + UNKNOWN[:10])
            elif way >= 2:
                connection.sendall(head + UNKNOWN)
                if not connection.recv(65_536).startswith(b"HTTP/1.1 200"):
                    raise Unanswered("HTTP")
            if way == 3:
                connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)


@dataclass(frozen=True)
class Keys:
    """Of a CURVE client: the server's public key and its own pair."""

    server: bytes
    public: bytes
    secret: bytes


def dealer(
    context: zmq.Context, endpoint: str, keys: Keys | None = None, routing_id: bytes = b"", receive_limit: int = 0
) -> zmq.Socket:
    """A connecting DEALER that waits for nothing when it is closed, and holds as many messages as it may: 0 is no limit."""
    socket = context.socket(zmq.DEALER)
    socket.linger = 0
    if receive_limit:
        socket.rcvhwm = receive_limit
    if routing_id:
        socket.routing_id = routing_id
    if keys:
        socket.curve_serverkey, socket.curve_publickey, socket.curve_secretkey = keys.server, keys.public, keys.secret
    socket.connect(endpoint)
    return socket


def zeromq(endpoint: str, count: int, keys: Keys | None = None, body: bytes = UNKNOWN) -> None:
    """Three quarters call and leave, one in four of them without waiting for the answer; the rest say nothing."""
    sources = itertools.cycle(SOURCES)
    with zmq.Context() as context:
        for number in range(count):
            way = number % 4
            with dealer(context, bound_to(next(sources), endpoint), keys) as client:
                if way == 0:
                    continue
                client.send(body)
                if way == 1:
                    continue
                if not client.poll(PATIENCE_MILLISECONDS):
                    raise Unanswered(endpoint)
                client.recv_multipart()


def bound_to(source: str, endpoint: str) -> str:
    """The endpoint, connected to from that address."""
    return endpoint.replace("tcp://", f"tcp://{source}:0;") if endpoint.startswith("tcp://") else endpoint
