# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""The tests' own client hides nothing that a test has to see: what it repeats, and what it does not."""

import contextlib
import http.client
import socket
import threading

import pytest
from compose.load import FleetClient
from conftest import Client

ANSWER = b'HTTP/1.1 200 OK\r\nContent-Length: 36\r\n\r\n{"jsonrpc":"2.0","id":1,"result":{}}'
KEY = {"Idempotency-Key": "once"}


class Server:
    """Does on each connection what its script says: `answer`, `close`, `reset`, `half` an answer; then closes it."""

    def __init__(self, *scripts):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.address = ("127.0.0.1", self.port)
        self.requests = 0
        self.is_closed = threading.Event()
        self.thread = threading.Thread(target=self.run, args=(scripts,), daemon=True)
        self.thread.start()

    def run(self, scripts):
        for script in scripts:
            connection, _ = self.listener.accept()
            with connection:
                for step in script:
                    self.read(connection)
                    if step == "answer":
                        connection.sendall(ANSWER)
                    elif step == "half":
                        connection.sendall(ANSWER[:60])
                    elif step == "reset":
                        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            self.is_closed.set()
        self.listener.close()

    def read(self, connection):
        text = b""
        while b"\r\n\r\n" not in text:
            text += connection.recv(65536)
        head, _, rest = text.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].split()[0])
        while len(rest) < length:
            rest += connection.recv(65536)
        self.requests += 1


class Fleet:
    """What a client of several gateways asks."""

    def __init__(self, *servers):
        self.gateways = [server.address for server in servers]


def clients(*servers):
    yield Client(servers[0].port)
    yield FleetClient(Fleet(*servers), None, 0)


@pytest.mark.parametrize("kind", [0, 1], ids=["client", "fleet"])
@pytest.mark.parametrize("method, headers", [("account.get", None), ("account.rename", KEY)])
@pytest.mark.parametrize("end", ["close", "reset"])
def test_a_kept_alive_connection_that_ends_before_an_answer_is_replaced_once(kind, method, headers, end):
    server = Server(["answer", end], ["answer"])
    client = list(clients(server))[kind]
    for _ in range(2):
        assert client.call(method, headers=headers) == {}
    assert (server.requests, client.repeats) == (3, 1)


@pytest.mark.parametrize("kind", [0, 1], ids=["client", "fleet"])
@pytest.mark.parametrize("scripts, method, headers", [
    # A fresh connection has no idle time that would have been up.
    ([["close"], ["answer"]], "account.get", None),
    ([["reset"], ["answer"]], "account.rename", KEY),
    # Nobody knows whether the first one happened.
    ([["answer", "close"], ["answer"]], "account.rename", None),
    ([["answer", "close"], ["answer"]], "consent.decide", None),
    # The answer had begun.
    ([["answer", "half"], ["answer"]], "account.get", None),
    # Twice is no coincidence.
    ([["answer", "close"], ["close"], ["answer"]], "account.get", None),
])
def test_every_other_end_is_seen(kind, scripts, method, headers):
    server = Server(*scripts)
    client = list(clients(server))[kind]
    with pytest.raises((OSError, http.client.HTTPException)):
        for _ in range(2):
            client.call(method, headers=headers)
    assert server.requests == sum(len(script) for script in scripts[:-1])


def test_a_connection_that_was_closed_while_nothing_was_under_way_is_replaced():
    server = Server(["answer"], ["answer"])
    client = Client(server.port)
    client.call("account.rename")
    assert server.is_closed.wait(10)
    client.call("account.rename")
    assert (server.requests, client.repeats) == (2, 0)


def test_a_client_of_several_gateways_passes_over_those_where_nobody_listens():
    with contextlib.closing(socket.create_server(("127.0.0.1", 0))) as gone:
        nobody = gone.getsockname()
    server = Server(["answer", "answer"])
    client = FleetClient(Fleet(server), None, 0)
    client.fleet.gateways.insert(0, nobody)
    for _ in range(2):
        assert client.call("account.rename") == {}
    assert (client.passed_over, client.repeats, server.requests) == (1, 0, 2)


@pytest.mark.parametrize("end", ["close", "reset"])
def test_a_client_of_several_gateways_repeats_a_call_at_another(end):
    """One that was killed may still take connections when it has ended those it had."""
    killed, other = Server(["answer", end], ["reset"]), Server(["answer"])
    client = FleetClient(Fleet(killed, other), None, 0)
    for _ in range(2):
        assert client.call("account.get") == {}
    assert (client.repeats, killed.requests, other.requests) == (1, 2, 1)


def test_a_client_of_several_gateways_goes_to_another_after_one_failed_it_and_says_so():
    bad, good = Server(["close"]), Server(["answer"])
    client = FleetClient(Fleet(bad, good), None, 0)
    with pytest.raises(http.client.RemoteDisconnected):
        client.call("account.get")
    assert client.call("account.get") == {} and good.requests == 1
