# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""What one client may cost the others, seen from outside: each limit has its answer, and a good client goes on."""

import json
import resource
import socket
import subprocess
import time

import pytest
import zmq
from conftest import BINARIES, eventually
from test_curve import plain_environment

SECONDS = 2


@pytest.fixture(scope="module")
def limited():
    from conftest import System

    system = System(
        environment={
            "ASSENT_PERSON_RATE": "1", "ASSENT_PERSON_BURST": "20", "ASSENT_PERSON_IN_FLIGHT": "4",
            "ASSENT_ADDRESS_CONNECTIONS": "40", "ASSENT_BUFFER_MIB": "2", "ASSENT_HTTP_IDLE_SECONDS": str(SECONDS),
            "ASSENT_HTTP_RECEIVE_SECONDS": str(SECONDS), "ASSENT_HTTP_SEND_SECONDS": str(SECONDS),
        })
    system.start()
    yield system
    system.stop()


def connect(system):
    return socket.create_connection(("127.0.0.1", system.http_port), timeout=30)


def answer(connection):
    """(status, headers, body) of the one answer on a connection."""
    reader = connection.makefile("rb")
    status = int(reader.readline().split()[1])
    headers = {}
    while (line := reader.readline().strip()):
        name, _, value = line.decode().partition(":")
        headers[name.lower()] = value.strip()
    return status, headers, reader.read(int(headers.get("content-length", 0)))


def ends(connection):
    """Whether the server closes it, within the socket's own patience."""
    try:
        while connection.recv(1 << 20):
            pass
    except ConnectionResetError:
        pass
    return True


def refused(status, headers, body, reason):
    assert status == 429
    error = json.loads(body)["error"]
    assert error["code"] == -32008
    assert error["data"]["reason"] == reason
    assert error["data"]["processed"] is False and error["data"]["retryable"] is True
    assert error["data"]["retryAfterMs"] > 0
    assert int(headers["retry-after"]) >= 1


def call(method, params=None):
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}


def test_a_person_who_calls_too_often_is_told_when_to_come_back(limited):
    person, _ = limited.person()
    for _ in range(20):
        assert person.post(call("account.get"))[0] == 200
    statuses = [person.post(call("account.get")) for _ in range(20)]
    over = [each for each in statuses if each[0] == 429]
    assert over
    refused(*over[0], "callerRate")
    # Another session of the same person does not help; other people are not concerned.
    other, _ = limited.person()
    assert other.post(call("account.get"))[0] == 200
    wait = json.loads(over[-1][2])["error"]["data"]["retryAfterMs"] / 1000
    time.sleep(wait)
    assert person.post(call("account.get"))[0] == 200


def test_a_batch_counts_as_its_calls(limited):
    person, _ = limited.person()
    status, _, body = person.post([{**call("consent.get"), "id": number} for number in range(40)])
    assert status == 200
    reasons = [reply.get("error", {}).get("data", {}).get("reason") for reply in json.loads(body)]
    assert len(reasons) == 40
    assert reasons.count(None) >= 1 and set(reasons) <= {None, "callerRate", "callerInFlight"}
    assert reasons.count(None) <= 21


def test_an_address_may_open_so_many_connections(limited):
    # The system's own clients keep some open.
    connections = []
    try:
        last = None
        for _ in range(60):
            connections.append(connect(limited))
            connections[-1].sendall(b"POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Length: 40\r\n\r\n")
            body = b'{"jsonrpc":"2.0","id":1,"method":"rpc.x"}'[:40]
            connections[-1].sendall(body)
            last = answer(connections[-1])
            if last[0] == 429:
                break
        refused(*last, "addressConnections")
    finally:
        for connection in connections:
            connection.close()
    eventually(lambda: limited.admin.post(call("rpc.health"))[0] == 200)


@pytest.mark.parametrize(
    "start",
    [
        b"",
        b"POST /rpc HTT",
        b"POST /rpc HTTP/1.1\r\nHost: h\r\nX-A: b\r\n",
        b"POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n{",
        b"POST /rpc HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
    ])
def test_a_slow_sender_is_cut_off_while_others_go_on(limited, start):
    with connect(limited) as connection:
        connection.sendall(start)
        begun = time.monotonic()
        assert limited.admin.post(call("rpc.health"))[0] == 200
        assert ends(connection)
        assert time.monotonic() - begun < 25


def test_a_sender_of_single_bytes_is_cut_off_too(limited):
    with connect(limited) as connection:
        connection.sendall(b"POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n")
        begun = time.monotonic()
        try:
            while time.monotonic() - begun < 25:
                connection.sendall(b" ")
                time.sleep(0.1)
        except OSError:
            return
        raise AssertionError("it was allowed to go on")


def test_a_client_that_does_not_read_its_answer_is_cut_off(limited):
    with connect(limited) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        # Answers of a hundred kilobytes each, asked for in one go and never read.
        one = json.dumps(call("rpc.discover")).encode()
        request = b"POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s" % (len(one), one)
        connection.sendall(request * 50)
        begun = time.monotonic()

        def is_closed():
            try:
                connection.send(b" ")
                return False
            except OSError:
                return True

        eventually(is_closed, timeout=25, every=0.2)
        assert time.monotonic() - begun > 1


@pytest.mark.parametrize(
    "request_head, status",
    [
        (b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\nHost: h\r\n\r\n", 414),
        (b"POST /rpc HTTP/1.1\r\nHost: h\r\nX-A: " + b"a" * 20_000 + b"\r\n\r\n", 431),
        (b"POST /rpc HTTP/1.1\r\nHost: h\r\n" + b"".join(b"X-%d: %s\r\n" % (n, b"a" * 100) for n in range(200)) + b"\r\n", 431),
        (b"POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Length: 1048577\r\n\r\n" + b" " * 1_048_577, 413),
        (b"POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999\r\n\r\n", 413),
    ])
def test_what_is_too_large_is_told_by_its_status(limited, request_head, status):
    with connect(limited) as connection:
        connection.sendall(request_head)
        assert answer(connection)[0] == status


def test_bodies_being_received_have_a_bound_and_it_is_given_back(limited):
    head = b"POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Length: 1000000\r\n\r\n"

    def overloaded():
        held = [connect(limited) for _ in range(2)]
        try:
            for connection in held:
                connection.sendall(head + b" " * 999_000)
            # Read by now, or soon.
            for _ in range(10):
                with connect(limited) as connection:
                    connection.settimeout(0.2)
                    connection.sendall(head)
                    try:
                        status, headers, body = answer(connection)
                    except TimeoutError:
                        continue
                error = json.loads(body)["error"]
                assert status == 503 and error["data"]["reason"] == "memory" and error["data"]["retryAfterMs"] > 0
                assert int(headers["retry-after"]) >= 1
                # What is small goes through.
                assert limited.admin.post(call("rpc.health"))[0] == 200
                return True
            return False
        finally:
            for connection in held:
                connection.close()

    eventually(overloaded)

    def received():
        with connect(limited) as connection:
            connection.sendall(head + b" " * 1_000_000)
            return answer(connection)[0] == 400

    eventually(received)


def test_a_batch_may_have_a_hundred_members_over_both_faces(limited):
    batch = [{**call("rpc.health"), "id": number} for number in range(101)]
    status, _, body = limited.admin.post(batch)
    assert status == 400 and json.loads(body)["error"]["code"] == -32600
    context = zmq.Context()
    try:
        dealer = context.socket(zmq.DEALER)
        dealer.linger = 0
        dealer.connect(limited.zmq_endpoint)
        dealer.send_json(batch)
        assert dealer.poll(10_000)
        assert dealer.recv_json()["error"]["code"] == -32600
        # Over the size limit of all frames together: told, and the connection goes on.
        dealer.send_multipart([b"x" * 600_000, b"", b"y" * 600_000])
        assert dealer.poll(10_000)
        frames = dealer.recv_multipart()
        assert json.loads(frames[-1])["error"]["data"]["reason"] == "messageTooLarge"
        dealer.send_json(call("rpc.discover"))
        assert dealer.poll(10_000) and "result" in dealer.recv_json()
        dealer.close()
    finally:
        context.term()


def test_many_slow_clients_leave_room_for_a_good_one(limited):
    slow = [connect(limited) for _ in range(30)]
    try:
        for connection in slow:
            connection.sendall(b"POST /rpc HTTP/1.1\r\nHost: h\r\nContent-Length: 500\r\n\r\n{")
        for _ in range(20):
            assert limited.admin.post(call("rpc.health"))[0] == 200
    finally:
        for connection in slow:
            connection.close()


def test_a_low_descriptor_limit_lowers_the_connections_with_a_warning(tmp_path):
    log = tmp_path / "log"
    process = subprocess.Popen(
        [str(BINARIES / "gateway")],
        env={**plain_environment(), "ASSENT_BUS_DIR": str(tmp_path), "ASSENT_HTTP_PORT": "0", "ASSENT_ZMQ_PORT": "0"},
        stderr=log.open("wb"), stdout=subprocess.DEVNULL,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256)))
    held = []
    try:
        def serving():
            lines = [json.loads(line) for line in log.read_text().splitlines()]
            return next((line for line in lines if line["message"] == "serving"), None)

        port = eventually(serving)["httpPort"]
        assert "only 256 descriptors" in log.read_text()
        # More connections than it has descriptors for: they wait, and its processor does not spin.
        for _ in range(300):
            held.append(socket.create_connection(("127.0.0.1", port), timeout=10))
        before = processor_seconds(process.pid)
        time.sleep(1)
        assert processor_seconds(process.pid) - before < 0.5
        assert process.poll() is None
        for connection in held[:200]:
            connection.close()

        def answers():
            with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
                connection.sendall(b"GET /health/live HTTP/1.1\r\nHost: h\r\n\r\n")
                return answer(connection)[0] == 200

        eventually(answers)
    finally:
        for connection in held:
            connection.close()
        process.kill()
        process.wait()


def processor_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100
