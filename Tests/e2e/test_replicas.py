# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Several replicas on one PostgreSQL database: what one acknowledged, every other knows."""

import os
import pathlib
import signal
import subprocess
import threading
import time
import uuid

import pytest
from conftest import ROOT, Client, RPCError, eventually, free_port
from test_kill import all_entries

BINARIES = pathlib.Path(os.environ.get("ASSENT_BIN_DIR", ROOT / ".build" / "release"))


class Pair:
    """The system of deploy/up, and beside it a second replica of some services with a gateway that asks only these."""

    def __init__(self, system, *services):
        self.system = system
        self.http_port = free_port()
        self.bus = pathlib.Path(f"/proc/{system.pid('gateway')}/environ").read_bytes().decode()
        self.bus = next(line for line in self.bus.split("\0") if line.startswith("ASSENT_BUS_DIR=")).split("=", 1)[1]
        self.processes = []
        endpoints = {}
        for service in services:
            key = f"ASSENT_{service.upper().replace('-', '_')}_ENDPOINT"
            endpoints[key] = f"ipc://{self.bus}/{service}-2.sock"
        for service in services:
            key = f"ASSENT_{service.upper().replace('-', '_')}_ENDPOINT"
            self.run(service, {key: endpoints[key]})
        self.run(
            "gateway",
            {
                **endpoints,
                "ASSENT_HTTP_PORT": str(self.http_port),
                "ASSENT_ZMQ_PORT": str(free_port()),
            })

        def is_ready():
            status, _, _ = Client(self.http_port).post({"jsonrpc": "2.0", "id": 1, "method": "rpc.health"})
            return status == 200

        eventually(is_ready, timeout=20)

    def run(self, name, settings):
        log = open(self.system.data / "log" / f"{name}-2.log", "ab")
        environment = dict(
            os.environ, ASSENT_DATA_DIR=str(self.system.data), ASSENT_BUS_DIR=self.bus,
            ASSENT_BOOTSTRAP_CREDENTIALS=str(self.system.data / "credentials.json"), **self.system.environment)
        environment.update(settings)
        self.processes.append(
            subprocess.Popen([str(BINARIES / name)], env=environment, stdout=log, stderr=log, start_new_session=True))
        log.close()

    def client(self, token):
        return Client(self.http_port, token)

    def stop(self):
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait(30)


@pytest.fixture
def pair(own_system):
    made = []

    def make(*services):
        system = own_system(store="postgresql").start()
        made.append(Pair(system, *services))
        return system, made[-1]

    yield make
    for one in made:
        one.stop()


def decide(client, granted):
    return client.call(
        "consent.decide",
        {
            "policyVersion": 1,
            "decisions": {"analytics": granted},
            "method": "toggle",
            "context": {"appVersion": "2.4", "osVersion": "18.2"},
        })


def toggle_on_both(system, other, checks, people, rounds):
    """Each person grants and refuses in turn, on both sides in turn, and is checked on both after each; side by side."""
    failures = []

    def toggle(person, account):
        try:
            sides = [Client(system.http_port, person.token), other.client(person.token)]
            checkers = [Client(system.http_port, checks.token), other.client(checks.token)]
            for number in range(rounds):
                granted = number % 2 == 0
                decide(sides[number // 2 % 2], granted)
                for checker in checkers:
                    said = checker.call("consent.check", {"accountId": account, "category": "analytics"})
                    assert said["allowed"] == granted, f"{number}: {said}"
        except Exception as error:  # shown by the test
            failures.append(error)

    eventually(lambda: other.client(checks.token).call("consent.check", {"accountId": "x", "category": "analytics"}))
    threads = [threading.Thread(target=toggle, args=one) for one in people]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_a_check_on_one_replica_never_allows_what_was_withdrawn_on_another(pair):
    system, other = pair("consent-service")
    checks = system.key("check")
    people = [system.person() for _ in range(4)]
    toggle_on_both(system, other, checks, people, 60)
    # And both replicas' events were recorded, each once, in order.
    for _, account in people:
        eventually(lambda: len(decided(system, account)) == 60, timeout=20)
        revisions = [entry["entryId"] for entry in decided(system, account)]
        assert len(set(revisions)) == 60


def decided(system, account):
    return [entry for entry in all_entries(system.admin, accountId=account) if entry["kind"] == "consent.decided"]


def refused_after(client, since):
    """Seconds from `since` until a call is refused for its credential."""
    while time.monotonic() - since < 5:
        try:
            client.call("account.get")
        except RPCError as error:
            assert error.status == "UNAUTHENTICATED", error
            return time.monotonic() - since
        time.sleep(0.01)
    raise AssertionError("never refused")


def test_a_session_that_ended_is_refused_by_two_gateways_within_a_second(pair):
    system, other = pair("account-service")
    for ended_by in ("first", "second"):
        person, _ = system.person()
        sides = [person, other.client(person.token)]
        eventually(lambda: all(side.call("account.get") for side in sides))
        (sides[0] if ended_by == "first" else sides[1]).call("session.signOutEverywhere", {})
        since = time.monotonic()
        # Both are asked from now on; the second one's delay counts from the same moment.
        assert max(refused_after(side, since) for side in sides) < 1


def test_without_news_of_credentials_no_gateway_believes_anybody_after_a_second(pair):
    system, other = pair()
    person, _ = system.person()
    sides = [person, other.client(person.token)]
    eventually(lambda: all(side.call("consent.get") for side in sides))
    os.kill(system.pid("account-service"), signal.SIGSTOP)
    try:
        time.sleep(1.1)
        for side in sides:
            for _ in range(3):
                assert side.error("consent.get", {}).status == "UNAVAILABLE"
    finally:
        os.kill(system.pid("account-service"), signal.SIGCONT)
    for side in sides:
        eventually(lambda: side.call("consent.get"))


def test_a_replica_that_starts_beside_others_keeps_their_history(pair):
    """A second replica joins, writes, and leaves."""
    system, other = pair("consent-service", "account-service", "permission-service", "notification-prefs-service")
    person, account = system.person()
    second = other.client(person.token)
    eventually(lambda: second.call("account.get"))
    second.call("account.rename", {"name": "Grace Hopper"})
    assert person.call("account.get")["name"] == "Grace Hopper"
    key = str(uuid.uuid4())
    first_outcome = person.call("account.rename", {"name": "Ada"}, {"Idempotency-Key": key})
    assert second.call("account.rename", {"name": "Ada"}, {"Idempotency-Key": key}) == first_outcome
    other.stop()
    other.processes.clear()
    # What the second replica wrote last was delivered, by itself or by the first.
    eventually(
        lambda: [entry for entry in all_entries(system.admin, accountId=account) if entry["kind"] == "account.renamed"]
        .__len__() == 2, timeout=15)
