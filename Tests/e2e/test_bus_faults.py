# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Replicas as processes of their own, under a steady load over the bus: killed, paused and restarted one after the
other. Callers notice nothing but time."""

import json
import os
import pathlib
import resource
import signal
import socket
import subprocess
import tempfile
import threading
import time

import pytest

from conftest import eventually, free_port

BIN = pathlib.Path(os.environ.get("ASSENT_BIN_DIR", pathlib.Path(__file__).parents[2] / ".build" / "release"))
PROGRAM = BIN / "bus-echo"


class Replica:
    """One bus-echo, which can be killed, paused and restarted."""

    def __init__(self, endpoint, drain=0):
        self.endpoint = endpoint
        self.drain = drain
        self.process = None

    def start(self):
        environment = dict(os.environ, ASSENT_DRAIN_SECONDS=str(self.drain))
        self.process = subprocess.Popen([str(PROGRAM), self.endpoint], env=environment)
        return self

    def signal(self, number):
        self.process.send_signal(number)

    def end(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()


class Load:
    """bus-echo as caller: what it says, with the time it said it."""

    def __init__(self, endpoints, rate, seconds):
        self.process = subprocess.Popen(
            [str(PROGRAM), "--call", ",".join(endpoints), str(rate), str(seconds)], stdout=subprocess.PIPE, text=True
        )
        self.rotations = []
        self.outcome = None
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()

    def read(self):
        for line in self.process.stdout:
            said = json.loads(line)
            if "rotation" in said:
                self.rotations.append((time.monotonic(), said["rotation"]))
            else:
                self.outcome = said

    @property
    def rotation(self):
        return self.rotations[-1][1] if self.rotations else []

    def wait(self, timeout):
        self.process.wait(timeout)
        self.reader.join(5)
        assert self.outcome, "the caller ended without a word"
        return self.outcome

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def fleet():
    """Makes replicas and callers; all are ended."""
    folder = tempfile.TemporaryDirectory(prefix="assent-fleet-")
    made = []

    class Fleet:
        def add(self, one):
            made.append(one)
            return one

        def replicas(self, count, drain=0):
            return [self.add(Replica(f"ipc://{folder.name}/r{number}", drain).start()) for number in range(count)]

        def load(self, replicas, rate, seconds):
            load = self.add(Load([replica.endpoint for replica in replicas], rate, seconds))
            eventually(lambda: len(load.rotation) == len(replicas), timeout=20)
            return load

    yield Fleet()
    for one in made:
        one.end()
    folder.cleanup()


def left_rotation(load, replica, since, timeout):
    """How long after `since` the replica was out of rotation, in seconds."""
    eventually(lambda: replica.endpoint not in load.rotation, timeout)
    return next(at for at, rotation in load.rotations if at >= since and replica.endpoint not in rotation) - since


def test_a_rolling_restart_at_two_thousand_calls_a_second_fails_none(fleet):
    replicas = fleet.replicas(3, drain=1)
    load = fleet.load(replicas, 2000, 20)
    for replica in replicas:
        replica.signal(signal.SIGTERM)
        # Left at once, long before it refuses anything.
        left_rotation(load, replica, time.monotonic() - 0.1, 5)
        assert replica.process.wait(20) == 0
        replica.start()
        eventually(lambda: len(load.rotation) == 3, timeout=20)
    outcome = load.wait(60)
    print(outcome)
    assert outcome["calls"] == 40_000 and outcome["failed"] == {}


def test_a_killed_replica_is_out_of_rotation_within_a_second_and_fails_no_call(fleet):
    replicas = fleet.replicas(3)
    load = fleet.load(replicas, 2000, 8)
    time.sleep(1)
    killed = time.monotonic()
    replicas[1].signal(signal.SIGKILL)
    took = left_rotation(load, replicas[1], killed, 5)
    print(f"out after {took:.3f} s")
    assert took < 1
    replicas[1].process.wait()
    replicas[1].start()
    eventually(lambda: len(load.rotation) == 3, timeout=20)
    outcome = load.wait(60)
    print(outcome)
    assert outcome["failed"] == {}


@pytest.mark.parametrize("rate", [2000, 2])
def test_a_paused_replica_costs_at_most_an_attempt_and_is_out_within_seven_seconds(fleet, rate):
    replicas = fleet.replicas(3)
    load = fleet.load(replicas, rate, 16)
    time.sleep(1)
    paused = time.monotonic()
    replicas[0].signal(signal.SIGSTOP)
    took = left_rotation(load, replicas[0], paused, 10)
    print(f"out after {took:.3f} s")
    assert took < 7
    time.sleep(max(0, paused + 8 - time.monotonic()))
    replicas[0].signal(signal.SIGCONT)
    # It is asked on while it is silent, and is back once it answers.
    eventually(lambda: len(load.rotation) == 3, timeout=20)
    outcome = load.wait(60)
    print(outcome)
    assert outcome["failed"] == {}
    # An attempt's time-out is at most a third of the deadline's five seconds; the repeat is quick.
    assert outcome["slowestMs"] < 2_500


def test_all_replicas_gone_and_back(fleet):
    replicas = fleet.replicas(2)
    load = fleet.load(replicas, 200, 8)
    for replica in replicas:
        replica.signal(signal.SIGKILL)
        replica.process.wait()
    eventually(lambda: load.rotation == [], timeout=5)
    back = time.monotonic()
    for replica in replicas:
        replica.start()
    eventually(lambda: len(load.rotation) == 2, timeout=5)
    print(f"back after {time.monotonic() - back:.3f} s")
    outcome = load.wait(60)
    print(outcome)
    # Calls made meanwhile wait for a connection within their deadline; what was sent and lost is repeated.
    assert outcome["failed"] == {}


def test_a_second_signal_stops_at_once(fleet):
    replica = fleet.replicas(1, drain=60)[0]
    load = fleet.load([replica], 10, 2)
    load.wait(30)
    replica.signal(signal.SIGTERM)
    time.sleep(0.5)
    assert replica.process.poll() is None
    replica.signal(signal.SIGTERM)
    assert replica.process.wait(5) == 128 + signal.SIGTERM


def test_a_server_out_of_descriptors_serves_those_it_has_and_takes_others_later(fleet):
    # On ipc libzmq 4.3.4 ends the process instead, so those sockets stand in folders that nobody else may enter.
    port = free_port()
    replica = fleet.add(Replica(f"tcp://127.0.0.1:{port}").start())
    load = fleet.load([replica], 200, 6)
    limit = len(os.listdir(f"/proc/{replica.process.pid}/fd")) + 10
    resource.prlimit(replica.process.pid, resource.RLIMIT_NOFILE, (limit, limit))
    strangers = []
    for _ in range(100):
        stranger = socket.socket()
        stranger.connect(("127.0.0.1", port))
        strangers.append(stranger)
    time.sleep(1)
    for stranger in strangers:
        stranger.close()
    # A new one gets in, and the old one noticed nothing.
    later = fleet.load([replica], 200, 1)
    assert later.wait(30)["failed"] == {}
    outcome = load.wait(30)
    print(outcome)
    assert outcome["failed"] == {}
