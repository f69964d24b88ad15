# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Programs die in the middle of writes: what was acknowledged is there, and is audited exactly once."""

import collections
import http.client
import itertools
import os
import random
import signal
import threading
import time
import uuid

import pytest

from conftest import SERVICES, RPCError, eventually

KILLS = 50
WRITERS = 6
# All of it, so that a machine too slow for it fails here and not in the runner.
SECONDS = 240
# deploy/up gives up on a program that ends five times within five seconds of its start.
YOUNGEST = 5.3


class Writer(threading.Thread):
    """A person who changes a setting of each service in turn, and repeats every call until it is acknowledged."""

    def __init__(self, system, stopping):
        super().__init__(daemon=True)
        self.client, self.account = system.person()
        self.stopping = stopping
        # Acknowledged entryIds in order, by method, and the value that was acknowledged last.
        self.acknowledged = collections.defaultdict(list)
        self.last = {}
        self.failure = None
        self.repeats = 0

    def run(self):
        try:
            for number in itertools.count():
                if self.stopping.is_set():
                    return
                odd = number % 2 == 1
                self.write("account.rename", {"name": f"Ada {number}"}, f"Ada {number}")
                self.write(
                    "consent.decide",
                    {
                        "policyVersion": 1,
                        "decisions": {"analytics": odd},
                        "method": "toggle",
                        "context": {"appVersion": "2.4", "osVersion": "18.2"},
                    },
                    "granted" if odd else "denied",
                )
                digest = "daily" if odd else "off"
                self.write("notifications.update", {"digest": digest}, digest)
                status, kept = ("authorized", "allowed") if odd else ("denied", "denied")
                self.write(
                    "permission.report",
                    {"platform": "ios", "permissions": [{"kind": "camera", "status": status}]},
                    kept,
                )
                time.sleep(0.05)
        except Exception as error:  # shown by the test
            self.failure = error

    def write(self, method, params, value):
        key = str(uuid.uuid4())
        give_up = time.monotonic() + 60
        while True:
            try:
                result = self.client.call(method, params, {"Idempotency-Key": key})
                break
            except RPCError as error:
                if not error.data.get("retryable") or time.monotonic() > give_up:
                    raise
            except (OSError, http.client.HTTPException, ValueError):
                self.client.close()
                if time.monotonic() > give_up:
                    raise
            self.repeats += 1
            time.sleep(0.02)
        self.acknowledged[method].append(result["entryId"])
        self.last[method] = value

    @property
    def count(self):
        return sum(len(ids) for ids in self.acknowledged.values())


def kill_in_turn(system, writers, end):
    """Kills every program in turn, each in the middle of writes, and no program before it was up for a while."""
    for number in range(KILLS):
        name = SERVICES[number % len(SERVICES)]
        pid_file = system.data / "run" / f"{name}.pid"
        while time.time() - pid_file.stat().st_mtime < YOUNGEST:
            assert time.monotonic() < end, f"{number} kills in time"
            time.sleep(0.02)
        before = sum(writer.count for writer in writers)
        eventually(
            lambda: any(writer.failure for writer in writers) or sum(writer.count for writer in writers) >= before + 10,
            timeout=max(1, end - time.monotonic()),
        )
        assert not [writer.failure for writer in writers if writer.failure]
        time.sleep(random.random() * 0.05)
        old = pid_file.read_text().strip()
        os.kill(int(old), signal.SIGKILL)
        # The file is emptied before it is written anew.
        eventually(lambda: pid_file.read_text().strip() not in ("", old), timeout=15)


def all_entries(client, **filters):
    entries, cursor = [], None
    while True:
        page = client.call("audit.entries", {"limit": 200, **filters, **({"cursor": cursor} if cursor else {})})
        entries += page["items"]
        cursor = page.get("nextCursor")
        if not cursor:
            return entries


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_fifty_kills_lose_nothing_and_record_nothing_twice(own_system, store):
    end = time.monotonic() + SECONDS
    system = own_system(store=store)
    system.start()
    stopping = threading.Event()
    writers = [Writer(system, stopping) for _ in range(WRITERS)]
    for writer in writers:
        writer.start()
    try:
        kill_in_turn(system, writers, end)
    finally:
        stopping.set()
    for writer in writers:
        writer.join(max(1, end - time.monotonic()))
        assert not writer.is_alive() and writer.failure is None, writer.failure
    # The kills met writes: some had to be repeated.
    assert sum(writer.repeats for writer in writers) > 0
    check_writers(system, writers)


def test_a_database_that_is_stopped_under_load_loses_nothing(own_system, own_postgresql):
    end = time.monotonic() + SECONDS
    system = own_system(store="postgresql", database=own_postgresql).start()
    stopping = threading.Event()
    writers = [Writer(system, stopping) for _ in range(WRITERS)]
    for writer in writers:
        writer.start()
    try:
        # As if the machine had failed, and as an operator restarts it.
        for how in (signal.SIGQUIT, signal.SIGINT, signal.SIGQUIT):
            before = sum(writer.count for writer in writers)
            eventually(lambda: sum(writer.count for writer in writers) >= before + 100, timeout=30)
            own_postgresql.stop(how)
            stopped = sum(writer.count for writer in writers)
            time.sleep(random.random())
            # Each writer waits for one answer at a time, which may have been on its way.
            assert sum(writer.count for writer in writers) <= stopped + len(writers), "acknowledged without a database"
            own_postgresql.start()
            assert not [writer.failure for writer in writers if writer.failure]
    finally:
        stopping.set()
    for writer in writers:
        writer.join(max(1, end - time.monotonic()))
        assert not writer.is_alive() and writer.failure is None, writer.failure
    # No program ended for it.
    assert "restarting" not in (system.data / "up.log").read_text()
    check_writers(system, writers)


def check_writers(system, writers):
    """Everything that was acknowledged is there and was recorded once, in order, and nothing else was."""
    admin = system.admin
    kinds = {
        "account.rename": "account.renamed",
        "consent.decide": "consent.decided",
        "notifications.update": "notifications.digest",
        "permission.report": "permission.changed",
    }
    for writer in writers:
        for ids in writer.acknowledged.values():
            eventually(lambda: all_entries(admin, accountId=writer.account, after=ids[-1]), timeout=30)
        entries = all_entries(admin, accountId=writer.account)
        for method, ids in writer.acknowledged.items():
            assert len(set(ids)) == len(ids)
            recorded = [entry["entryId"] for entry in entries if entry["kind"] == kinds[method]]
            # Every call was repeated until it was acknowledged: what is recorded is what was acknowledged, in order.
            assert recorded[::-1] == ids, f"{method}: {len(recorded)} recorded, {len(ids)} acknowledged"
        person = writer.client
        assert person.call("account.get")["name"] == writer.last["account.rename"]
        categories = {category["id"]: category for category in person.call("consent.get")["categories"]}
        assert categories["analytics"]["status"] == writer.last["consent.decide"]
        assert person.call("notifications.get")["digest"] == writer.last["notifications.update"]
        permissions = {item["kind"]: item for item in person.call("permission.list")["items"]}
        assert permissions["camera"]["status"] == writer.last["permission.report"]

    entries = all_entries(admin)
    assert len({entry["entryId"] for entry in entries}) == len(entries)
    # Without a hole; the listing goes by time.
    assert sorted(entry["index"] for entry in entries) == list(range(len(entries)))
    assert system.process.poll() is None
