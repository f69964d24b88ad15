# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Clients that mean harm, at the HTTP face and at a ZeroMQ face with CURVE: each kind gets its answer or its end, while a
good client is answered every time, and leaves nothing behind. How long the good one waits is measured by
Benchmarks/hostile."""

import json
import signal
import subprocess
import sys
import threading
import time

import pytest
import zmq
from clients import churn
from conftest import BINARIES, ROOT, System, eventually
from harness.curve_gateway import CurveGateway
from harness.footprint import footprint

SECONDS = 2
# How long each attack lasts at least: past every time-out.
ATTACK_SECONDS = 2 * SECONDS
GOOD_CALLS = 300
# Buffers of requests and answers that were there at once; what leaks grows with every blow.
SLACK_KIB = 16 * 1024
SLACK_DESCRIPTORS = 4
# What a gateway may take beside what it had before, while they are at it: 64 MiB of answers, and as much of everything else.
PEAK_KIB = 128 * 1024
REFUSED_FRAMES = {
    "tooManyFrames", "metadata", "metadataTooLarge", "principalRefused", "parseError", "invalidRequest", "invalidParams",
    "methodNotFound"}

# What each kind may get, and of that what it must have got.
HTTP = [
    ("slowloris", {"closed"}, {"closed"}),
    ("half-open connections", {"closed"}, {"closed"}),
    ("giant headers", {"414", "431"}, {"414", "431"}),
    ("giant bodies", {"413", "closed"}, {"413", "closed"}),
    ("deep JSON", {"400"}, {"400"}),
    ("floods of bad tokens", {"401", "429"}, {"401", "429"}),
    ("pipelining", {"200"}, {"200"}),
    ("garbage", {"400", "closed"}, {"400"}),
    ("unread answers", {"200", "429", "closed"}, {"200", "429", "closed"}),
    ("batches of rpc.health", {"200"}, {"200"}),
]
LISTED = [
    ("wrong frames", REFUSED_FRAMES, {"tooManyFrames", "metadata", "metadataTooLarge", "principalRefused", "parseError"}),
    ("giant frames", {"messageTooLarge", "silence"}, {"messageTooLarge", "silence"}),
    ("floods", {"methodNotFound", "held back", "addressInFlight"}, {"methodNotFound"}),
    ("duplicate routing ids", {"methodNotFound", "silence"}, {"methodNotFound"}),
    ("unread answers", {"result", "held back", "answerBytes"}, {"result"}),
]
UNLISTED = [
    ("garbage handshakes", {"closed", "silence"}, {"closed"}),
    ("wrong keys", {"silence"}, {"silence"}),
    ("silence after the greeting", {"closed"}, {"closed"}),
    ("half-open TCP", {"closed"}, {"closed"}),
]


@pytest.fixture(scope="module")
def hasty():
    """A system whose patience with slow clients is short."""
    system = System(environment={
        "ASSENT_HTTP_IDLE_SECONDS": str(SECONDS), "ASSENT_HTTP_RECEIVE_SECONDS": str(SECONDS),
        "ASSENT_HTTP_SEND_SECONDS": str(SECONDS)})
    system.start()
    yield system
    system.stop()


@pytest.fixture(scope="module")
def curve_gateway(hasty, tmp_path_factory):
    with CurveGateway(BINARIES, hasty.data / "bus", tmp_path_factory.mktemp("gateway") / "curve") as gateway:
        gateway.wait()
        yield gateway


@pytest.fixture(scope="module")
def server(hasty):
    """A client with a service key, as an app's own server has one; `maya` has granted and `ada` has not."""
    client = hasty.key("check", "agent")
    policy = client.call("consent.catalog")["policyVersion"]
    for account, granted in (("maya", True), ("ada", False)):
        client.call("consent.decide", {
            "accountId": account, "policyVersion": policy, "decisions": {"analytics": granted}, "method": "save",
            "context": {"appVersion": "2.4", "osVersion": "17.4"}})
    return client


class GoodClient(threading.Thread):
    """Asks about two people in turn, and looks at every answer."""

    def __init__(self, check):
        super().__init__(daemon=True)
        self.check = check
        self.answered = 0
        self.failure = None
        self.is_stopping = threading.Event()

    def run(self):
        try:
            while not self.is_stopping.wait(0.002):
                account, allowed = ("maya", True) if self.answered % 2 else ("ada", False)
                answer = self.check({"accountId": account, "category": "analytics"})
                assert answer["allowed"] is allowed, f"{account}: {answer}"
                self.answered += 1
        except Exception as failure:  # shown by the test
            self.failure = failure

    def stop(self):
        self.is_stopping.set()
        self.join(30)
        assert self.failure is None, repr(self.failure)
        assert not self.is_alive(), "a good call has no answer"


class Attack:
    """A process of clients/hostile.py."""

    def __init__(self, face, name, target):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "clients.hostile", face, name, json.dumps(target)], cwd=ROOT / "Benchmarks",
            stdout=subprocess.PIPE, text=True)

    def __enter__(self):
        assert self.process.stdout.readline() == "attacking\n"
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.communicate()

    def stop(self):
        """What it got: how often each outcome."""
        self.process.send_signal(signal.SIGTERM)
        said, _ = self.process.communicate(timeout=60)
        assert self.process.returncode == 0
        return json.loads(said)["seen"]


def withstand(pid, check, attack, allowed, wanted):
    check({"accountId": "maya", "category": "analytics"})
    before = footprint(pid)
    good = GoodClient(check)
    good.start()
    peak = before.anonymous_kib
    with attack:
        began = time.monotonic()

        def is_over():
            nonlocal peak
            peak = max(peak, footprint(pid).anonymous_kib)
            return good.failure or (good.answered >= GOOD_CALLS and time.monotonic() > began + ATTACK_SECONDS)

        eventually(is_over, timeout=120)
        seen = attack.stop()
    good.stop()
    print(seen, good.answered, before.anonymous_kib, peak)
    assert peak <= before.anonymous_kib + PEAK_KIB
    assert set(seen) <= allowed
    assert set(seen) >= wanted
    # The same process, with nothing left of them. A connection's descriptor is closed some milliseconds before the answers
    # that it was to carry are let go of.
    eventually(lambda: footprint(pid).descriptors <= before.descriptors + SLACK_DESCRIPTORS, timeout=20)
    eventually(lambda: footprint(pid).anonymous_kib <= before.anonymous_kib + SLACK_KIB)


@pytest.mark.parametrize("name, allowed, wanted", HTTP)
def test_over_http_a_good_client_is_answered_beside(hasty, server, name, allowed, wanted):
    person, _ = hasty.person()
    target = {"port": hasty.http_port, "token": person.token}
    pid = hasty.pid("gateway")
    withstand(
        pid, lambda params: server.call("consent.check", params), Attack("http", name, target), allowed, wanted)
    assert hasty.pid("gateway") == pid


@pytest.mark.parametrize(
    "face, name, allowed, wanted",
    [("listed", *one) for one in LISTED] + [("unlisted", *one) for one in UNLISTED])
def test_over_zeromq_a_good_client_is_answered_beside(curve_gateway, server, face, name, allowed, wanted):
    target = {
        "token": server.token, "port": curve_gateway.port, "endpoint": curve_gateway.endpoint,
        "keys": curve_gateway.client_keys("hostile")}
    context = zmq.Context()
    dealer = churn.dealer(
        context, curve_gateway.endpoint,
        churn.Keys(**{name: key.encode() for name, key in curve_gateway.client_keys("good").items()}))
    metadata = json.dumps({"authorization": f"Bearer {server.token}"}).encode()

    def check(params):
        body = {"jsonrpc": "2.0", "id": 1, "method": "consent.check", "params": params}
        dealer.send_multipart([b"ASNT1", metadata, json.dumps(body).encode()])
        assert dealer.poll(15_000), "no answer"
        return json.loads(dealer.recv_multipart()[-1])["result"]

    try:
        withstand(curve_gateway.pid, check, Attack(face, name, target), allowed, wanted)
        assert curve_gateway.is_running
    finally:
        context.destroy(linger=0)
