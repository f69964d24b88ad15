# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""The gateway in front of the real services: credentials, batches, the settings screen, services that go away."""

import contextlib
import json
import os
import signal
import socket
import time
import uuid

import pytest
from conftest import eventually, pause


def check(client, headers=None):
    """(HTTP status, JSON-RPC error status or None) of a small call that needs a credential."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "consent.check", "params": {"category": "analytics"}}
    status, _, reply = client.post(body, headers)
    error = json.loads(reply).get("error")
    return status, error and error["data"]["status"]


def raw(system, data):
    """What comes back for these very bytes, until the server closes."""
    with socket.create_connection(("127.0.0.1", system.http_port), timeout=10) as connection:
        connection.sendall(data)
        got = b""
        while piece := connection.recv(65536):
            got += piece
        return got


def test_a_key_works_at_once_and_is_refused_within_a_second_of_its_end(system):
    made = system.admin.call("key.create", {"name": f"k-{uuid.uuid4()}", "owner": "tests", "scopes": ["check"]})
    client = system.client(made["key"])
    body = {
        "jsonrpc": "2.0", "id": 1, "method": "consent.check",
        "params": {"accountId": "nobody", "category": "analytics"},
    }
    assert client.post(body)[0] == 200
    system.admin.call("key.revoke", {"keyId": made["keyId"]})
    revoked = time.monotonic()
    eventually(lambda: client.post(body)[0] == 401, timeout=5)
    assert time.monotonic() - revoked < 1


def test_a_session_that_ended_is_refused_within_a_second(system):
    person, _ = system.person()
    assert check(person) == (200, None)
    person.call("session.signOut")
    ended = time.monotonic()
    eventually(lambda: check(person) == (401, "UNAUTHENTICATED"), timeout=5)
    assert time.monotonic() - ended < 1


def test_a_batch_reads_what_it_wrote_before(system):
    person, account = system.person()
    requests = []
    for number in range(20):
        requests.append({"method": "account.rename", "params": {"name": f"Name {number}"}})
        requests.append({"method": "account.get"})
        requests.append({"method": "notifications.get"})
    body = [{"jsonrpc": "2.0", "id": i, **request} for i, request in enumerate(requests)]
    status, _, reply = person.post(body, {"Idempotency-Key": "b1"})
    assert status == 200
    answers = json.loads(reply)
    assert [answer["error"] for answer in answers if "error" in answer] == []
    assert [answer["id"] for answer in answers] == list(range(60))
    assert [answer["result"]["name"] for answer in answers[1::3]] == [f"Name {number}" for number in range(20)]
    again = json.loads(person.post(body, {"Idempotency-Key": "b1"})[2])
    assert [a["result"]["revision"] for a in again[0::3]] == [a["result"]["revision"] for a in answers[0::3]]


def test_settings_load_and_set_choice(system):
    person, account = system.person()
    loaded = person.call("settings.load")
    assert set(loaded) == {
        "account", "permissions", "privacy", "notifications", "consent", "export", "deletion", "links"
    }
    assert all(section["ok"] for section in loaded.values()), loaded
    assert loaded["account"]["value"]["accountId"] == account
    assert loaded["account"]["value"] == person.call("account.get")
    assert loaded["consent"]["value"] == person.call("consent.get")
    assert loaded["notifications"]["value"] == person.call("notifications.get")
    version = loaded["consent"]["value"]["policyVersion"]
    chosen = person.call(
        "settings.setChoice",
        {
            "policyVersion": version, "shareAnalytics": True, "personalizedRecommendations": False,
            "context": {"appVersion": "2.4", "osVersion": "18"},
        },
    )
    assert chosen["shareAnalytics"] is True and chosen["entryId"]
    privacy = person.call("settings.load", {"sections": ["privacy"]})["privacy"]["value"]
    assert privacy == {"personalizedRecommendations": False, "shareAnalytics": True, "blockedCount": 0}
    assert person.call("consent.check", {"category": "analytics"})["allowed"] is True


def test_before_sign_in_the_account_is_null(system):
    device, _ = system.device()
    loaded = device.call("settings.load")
    assert loaded["account"] == {"ok": True, "value": None}
    assert loaded["consent"]["ok"] and loaded["permissions"]["ok"]


def test_a_service_that_stands_still_costs_its_sections_only(own_system):
    system = own_system().start()
    person, _ = system.person()
    pause(system.pid("permission-service"))
    try:
        began = time.monotonic()
        loaded = person.call("settings.load")
        assert time.monotonic() - began < 4
        assert loaded["permissions"]["ok"] is False
        assert loaded["permissions"]["error"]["data"]["status"] in ("DEADLINE_EXCEEDED", "UNAVAILABLE")
        assert loaded["account"]["ok"] and loaded["consent"]["ok"] and loaded["notifications"]["ok"]
        health = system.client().call("rpc.health")
        assert health["services"]["permission-service"] == "NOT_SERVING"
        assert health["services"]["consent-service"] == "SERVING"
    finally:
        os.kill(system.pid("permission-service"), signal.SIGCONT)
    eventually(lambda: person.call("settings.load")["permissions"]["ok"])


def test_without_news_of_credentials_nobody_is_believed(own_system):
    system = own_system().start()
    person, _ = system.person()
    pause(system.pid("account-service"))
    try:
        eventually(lambda: check(person) == (503, "UNAVAILABLE"))
        # Methods for anyone go on.
        assert system.client().call("consent.catalog")["categories"]
    finally:
        os.kill(system.pid("account-service"), signal.SIGCONT)
    eventually(lambda: check(person) == (200, None))


def test_calls_go_on_while_a_service_is_killed_and_started_again(own_system):
    system = own_system().start()
    person, _ = system.person()
    for _ in range(5):
        os.kill(system.pid("consent-service"), signal.SIGKILL)
        for _ in range(20):
            assert check(person) == (200, None)


def test_the_gateway_stops_with_an_answer_to_what_runs(own_system):
    system = own_system().start()
    person, _ = system.person()
    pause(system.pid("permission-service"))
    try:
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "permission.list"})
        with socket.create_connection(("127.0.0.1", system.http_port), timeout=15) as connection:
            connection.sendall(
                f"POST /rpc HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {person.token}\r\nAssent-Timeout: 2s\r\n"
                f"Content-Length: {len(body)}\r\n\r\n{body}".encode()
            )
            time.sleep(0.2)
            os.kill(system.pid("gateway"), signal.SIGTERM)
            answer = connection.recv(65536)
            assert b"DEADLINE_EXCEEDED" in answer and b"Connection: close" in answer
    finally:
        os.kill(system.pid("permission-service"), signal.SIGCONT)


@pytest.mark.parametrize(
    "headers",
    [
        b"Content-Length: 2\r\nContent-Length: 2\r\n",
        b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n",
        b"Transfer-Encoding: gzip, chunked\r\n",
        b"Content-Length : 2\r\n",
    ],
)
def test_ambiguous_bodies_are_refused(system, headers):
    answer = raw(system, b"POST /rpc HTTP/1.1\r\nHost: x\r\n" + headers + b"\r\n{}")
    assert answer.split(b" ", 2)[1] in (b"400", b"501")
    assert answer.count(b"HTTP/1.1") == 1


def test_personal_data_is_in_neither_logs_nor_metrics(system):
    person, account = system.person(name="Zebulon Quux")
    person.call("settings.load")
    person.error("account.rename", {"name": ""})
    with socket.create_connection(("127.0.0.1", system.http_port)) as connection:
        connection.sendall(b"GET /metrics HTTP/1.0\r\nHost: x\r\n\r\n")
        text = b""
        while piece := connection.recv(65536):
            text += piece
    said = text.decode() + system.log("gateway")
    assert 'rpc_server_call_duration_seconds_count{rpc_system_name="jsonrpc",rpc_method="settings.load"}' in said
    assert account not in said and "Quux" not in said and person.token not in said


@pytest.mark.parametrize("name", ["gateway", "consent-service"])
def test_no_thread_takes_the_core_of_the_one_that_woke_it(system, name):
    policies = set()
    for thread in os.listdir(f"/proc/{system.pid(name)}/task"):
        with contextlib.suppress(ProcessLookupError):  # one that has ended meanwhile
            policies.add(os.sched_getscheduler(int(thread)))
    assert policies == {os.SCHED_BATCH}
