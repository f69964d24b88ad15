# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""One client with many devices, each with as many calls as it may have, beside a good one: all come to a service by the
gateway's one connection, and the good one is answered all the same."""

import collections
import json
import os
import signal
import threading

import pytest
import zmq
from conftest import eventually, pause

DEVICES = 9
CALLS_OF_EACH = 128
ALL = DEVICES * CALLS_OF_EACH
# What the gateway sends to one replica at once.
PLACES = 1024
# What may wait at audit-service at once.
WAITING = 256
# Of no write.
NEVER = "01jexamp1e0000000000000001"
CANCELLED = -32001


class Crowd:
    """A connection to the ZeroMQ face and nine devices that call through it."""

    def __init__(self, system):
        self.tokens = [system.device()[0].token for _ in range(DEVICES)]
        self.context = zmq.Context()
        self.dealer = self.context.socket(zmq.DEALER)
        self.dealer.linger = self.dealer.sndhwm = self.dealer.rcvhwm = 0
        self.dealer.connect(system.zmq_endpoint)
        self.waiting = set()
        # How often each: the reason of an error, or `result`.
        self.seen = collections.Counter()

    def call(self, method, params=None):
        """Each device as often as it may."""
        for number in range(ALL):
            meta = {"token": self.tokens[number % DEVICES], "timeoutMs": 30_000}
            self.dealer.send_json(
                {"jsonrpc": "2.0", "id": number, "method": method, "params": {**(params or {}), "_meta": meta}})
            self.waiting.add(number)

    def listen(self, until):
        """Takes answers until at most `until` calls wait."""
        while len(self.waiting) > until:
            assert self.dealer.poll(30_000), f"{len(self.waiting)} calls wait, others have {self.seen}"
            answer = json.loads(self.dealer.recv_multipart()[-1])
            if "id" not in answer or answer["id"] not in self.waiting:
                continue
            self.waiting.remove(answer["id"])
            error = answer.get("error")
            self.seen[error["data"]["reason"] if error else "result"] += 1
            if error and error["code"] == -32008:
                assert error["data"]["retryable"] and error["data"]["retryAfterMs"] > 0
                assert error["data"]["processed"] is False

    def leave(self):
        for number in self.waiting:
            self.dealer.send_json({"jsonrpc": "2.0", "method": "rpc.cancel", "params": {"id": number}})
        self.listen(until=0)
        self.context.destroy(linger=0)


@pytest.fixture
def crowd(system):
    crowd = Crowd(system)
    yield crowd
    crowd.leave()


def test_who_waits_for_what_never_comes_leaves_room_to_wait_and_to_read(system, crowd):
    person, _ = system.person()
    crowd.call("audit.entries", {"after": NEVER})
    # All have been looked at: more than the gateway sends at once, so some are refused in any case.
    crowd.listen(until=PLACES)
    written = person.call("account.setAppearance", {"appearance": "dark"})["entryId"]
    assert person.call("audit.entries", {"after": written})["items"][0]["entryId"] == written
    assert person.call("audit.export")["count"] > 0
    crowd.listen(until=WAITING)
    assert set(crowd.seen) <= {"entryWaiters", "callerShare", "addressShare"}
    assert crowd.seen["entryWaiters"] > 0


def test_who_floods_a_service_that_stands_still_leaves_room_to_ask_it(system, crowd):
    person, _ = system.person()
    # What was taken back before is over.
    eventually(lambda: person.call("audit.entries"))

    def running():
        methods = system.admin.call("rpc.stats")["methods"]
        return next(method["inFlight"] for method in methods if method["name"] == "audit.entries")

    audit = system.pid("audit-service")
    answers = []
    good = threading.Thread(
        target=lambda: answers.append(person.post(
            {"jsonrpc": "2.0", "id": 1, "method": "audit.entries"}, {"Assent-Timeout": "30s"}, timeout=60)))
    pause(audit)
    try:
        crowd.call("audit.entries")
        crowd.listen(until=PLACES // 2)
        assert set(crowd.seen) == {"addressShare"}
        held = running()
        assert held == PLACES // 2
        good.start()
        eventually(lambda: running() == held + 1 or answers)
        assert not answers, answers
    finally:
        os.kill(audit, signal.SIGCONT)
    good.join(60)
    status, _, body = answers[0]
    assert status == 200 and "result" in json.loads(body)
    crowd.listen(until=0)
    assert crowd.seen["result"] == PLACES // 2
