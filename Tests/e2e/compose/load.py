# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""A steady mixed load of reads and audited writes, and the proof that nothing of it was lost or told twice."""

import collections
import contextlib
import http.client
import itertools
import threading
import time
import uuid

from conftest import Client, RPCError, eventually

PEOPLE = 12
# Each person calls this often; ten calls a second and person at most.
PACE_SECONDS = 0.1
# Of a connection: the address of a machine that is gone says nothing.
CONNECT_SECONDS = 1
# A call's own deadline is 5 s; an answer that is later than this never came.
PATIENCE_SECONDS = 8
# A write is repeated under its idempotency key for so long.
STUBBORNNESS_SECONDS = 60

# What became of calls that were not answered.
LOST = ("cut off", "unanswered")

KINDS = {
    "account.rename": "account.renamed",
    "consent.decide": "consent.decided",
    "notifications.update": "notifications.digest",
    "permission.report": "permission.changed",
}


class Attempt(collections.namedtuple("Attempt", "at seconds method outcome gateway")):
    """One call as its client saw it: `ok`, the reason of its error, `cut off` or `unanswered`."""


class FleetClient(Client):
    """Knows the address of every gateway (`fleet.gateways`). Where nobody listens it goes on to the next one at once; a
    gateway that ended its connection or failed a call gets no further ones from it, but that a call failed is its
    caller's to see."""

    def __init__(self, fleet, token, turn):
        super().__init__(None, token)
        self.fleet = fleet
        self.turn = turn
        # The address of the connection that is or was used last, and how many were none.
        self.gateway = None
        self.passed_over = 0

    def reconnect(self, timeout):
        if self.connection is not None:
            # A program that was killed may close its connections before its listener: until then it seems to be there.
            self.turn += 1
        super().reconnect(timeout)

    def connect(self, timeout):
        for _ in self.fleet.gateways[1:]:
            try:
                return self.connect_to_next()
            except OSError:
                self.passed_over += 1
                self.turn += 1
        return self.connect_to_next()

    def connect_to_next(self):
        gateways = self.fleet.gateways
        self.gateway = gateways[self.turn % len(gateways)]
        made = http.client.HTTPConnection(*self.gateway, timeout=CONNECT_SECONDS)
        made.connect()
        return made

    def call(self, method, params=None, headers=None, timeout=PATIENCE_SECONDS):
        try:
            return super().call(method, params, headers, timeout)
        except (OSError, http.client.HTTPException):
            self.turn += 1
            raise


class Person(threading.Thread):
    """Changes a setting of each service in turn and reads it back, and repeats every write until it is acknowledged."""

    def __init__(self, stack, load, number, checker):
        super().__init__(daemon=True)
        self.load = load
        signed_in, self.account = stack.person()
        self.client = FleetClient(stack, signed_in.token, number)
        self.checker = FleetClient(stack, checker, number + 1)
        # Acknowledged entryIds in order, by method, and the value that was acknowledged last.
        self.acknowledged = collections.defaultdict(list)
        self.last = {}
        self.failure = None

    def run(self):
        try:
            for number in itertools.count():
                if self.load.is_stopping.is_set():
                    return
                self.lap(number)
        except Exception as error:  # shown by the proof
            self.failure = error

    def lap(self, number):
        odd = number % 2 == 1
        self.write("account.rename", {"name": f"Ada {number}"}, f"Ada {number}")
        self.read(self.client, "account.get", {}, lambda result: result["name"] == f"Ada {number}")
        decision = {
            "policyVersion": 1,
            "decisions": {"analytics": odd},
            "method": "toggle",
            "context": {"appVersion": "2.4", "osVersion": "18.2"},
        }
        self.write("consent.decide", decision, "granted" if odd else "denied")
        asked = {"accountId": self.account, "category": "analytics"}
        self.read(self.checker, "consent.check", asked, lambda result: result["allowed"] is odd)
        digest = "daily" if odd else "off"
        self.write("notifications.update", {"digest": digest}, digest)
        self.read(self.client, "notifications.get", {}, lambda result: result["digest"] == digest)
        status, kept = ("authorized", "allowed") if odd else ("denied", "denied")
        report = {"platform": "ios", "permissions": [{"kind": "camera", "status": status}]}
        self.write("permission.report", report, kept)
        self.read(self.client, "settings.load", {}, lambda result: "account" in result)

    def write(self, method, params, value):
        key = str(uuid.uuid4())
        give_up = time.monotonic() + STUBBORNNESS_SECONDS
        while True:
            result = self.attempt(self.client, method, params, {"Idempotency-Key": key})
            if result is not None:
                break
            if time.monotonic() > give_up:
                raise AssertionError(f"{method} was not acknowledged in {STUBBORNNESS_SECONDS} s")
        self.acknowledged[method].append(result["entryId"])
        self.last[method] = value

    def read(self, client, method, params, shows):
        """A read need not succeed, but if it does it shows what was acknowledged before."""
        result = self.attempt(client, method, params)
        if result is not None and not shows(result):
            raise AssertionError(f"{method} does not show what was acknowledged before it")

    def attempt(self, client, method, params, headers=None):
        """The result; None when it failed in a way that a repeat may cure."""
        begun = time.monotonic()
        result = None
        try:
            result = client.call(method, params, headers)
            outcome = "ok"
        except RPCError as error:
            outcome = error.reason or error.status or str(error.code)
            if not error.data.get("retryable"):
                raise
        except TimeoutError:
            outcome = "unanswered"
        except (OSError, http.client.HTTPException):
            outcome = "cut off"
        ended = time.monotonic()
        self.load.attempts.append(Attempt(begun, ended - begun, method, outcome, client.gateway))
        time.sleep(max(0.0, PACE_SECONDS - (ended - begun)))
        return result


class Load:
    """People who call all the time, and what became of their calls."""

    def __init__(self, stack):
        self.stack = stack
        self.is_stopping = threading.Event()
        self.attempts = []
        checker = stack.key("check").token
        self.people = [Person(stack, self, number, checker) for number in range(PEOPLE)]
        self.fault_at = None
        self.fault_ended_at = None

    def start(self):
        for person in self.people:
            person.start()
        self.settle()

    def settle(self, seconds=2):
        """Waits until every call succeeds for a while."""

        def calm():
            now = time.monotonic()
            recent = [one for one in list(self.attempts) if one.at + one.seconds > now - seconds]
            return len(recent) >= PEOPLE and all(one.outcome == "ok" for one in recent)

        begun = time.monotonic()
        eventually(lambda: time.monotonic() - begun > seconds and calm(), timeout=STUBBORNNESS_SECONDS, every=0.1)

    @contextlib.contextmanager
    def fault(self):
        self.fault_at = time.monotonic()
        yield
        self.fault_ended_at = time.monotonic()

    def stop(self):
        self.is_stopping.set()
        for person in self.people:
            person.join(STUBBORNNESS_SECONDS + PATIENCE_SECONDS)
            assert not person.is_alive()

    def outcomes(self):
        """By outcome, of the calls that ended after the fault began."""
        return collections.Counter(one.outcome for one in self.attempts if one.at + one.seconds >= self.fault_at)

    @property
    def failures(self):
        return {outcome: count for outcome, count in self.outcomes().items() if outcome != "ok"}

    def summary(self, name):
        """One line: counts, errors, the slowest call, and when the last failure was after the fault began and ended."""
        after = [one for one in self.attempts if one.at + one.seconds >= self.fault_at]
        failed = [one.at + one.seconds for one in after if one.outcome != "ok"]
        recovery = max(0.0, max(failed, default=self.fault_at) - self.fault_at)
        errors = ", ".join(f"{count} {outcome}" for outcome, count in sorted(self.failures.items())) or "none"
        slowest = max((one.seconds for one in after), default=0.0)
        clients = [client for person in self.people for client in (person.client, person.checker)]
        return (
            f"{name}: {len(after)} calls in {time.monotonic() - self.fault_at:.0f} s, errors: {errors}, "
            f"sent again as any client does: {sum(client.repeats for client in clients)}, "
            f"gateways passed over: {sum(client.passed_over for client in clients)}; "
            f"slowest {slowest * 1000:.0f} ms; last error {recovery:.1f} s after the fault began, "
            f"which lasted {self.fault_ended_at - self.fault_at:.1f} s"
        )

    def prove(self, hung=None):
        """Every acknowledged write is there and audited once and in order, and every call was answered; but for what a
        gateway at the address `hung` could not answer, one call of each client at most."""
        for person in self.people:
            assert person.failure is None, f"{person.account}: {person.failure}"
        lost = [one for one in self.attempts if one.outcome in LOST]
        excused = [one for one in lost if one.outcome == "unanswered" and one.gateway == hung]
        assert lost == excused and len(excused) <= 2 * PEOPLE, collections.Counter(one[2:] for one in lost)
        admin = FleetClient(self.stack, self.stack.credentials["adminKey"], 0)
        for person in self.people:
            for ids in person.acknowledged.values():
                eventually(lambda: entries(admin, accountId=person.account, after=ids[-1]), timeout=30)
            trail = entries(admin, accountId=person.account)
            assert len({entry["entryId"] for entry in trail}) == len(trail)
            for method, ids in person.acknowledged.items():
                # The listing goes by time, and then by index; the order of one source is that of its indexes.
                of_kind = sorted((one for one in trail if one["kind"] == KINDS[method]), key=lambda one: one["index"])
                recorded = [entry["entryId"] for entry in of_kind]
                assert recorded == ids, f"{method}: {len(recorded)} recorded, {len(ids)} acknowledged"
            self.prove_state(person)

    def prove_state(self, person):
        client = person.client
        assert client.call("account.get", {})["name"] == person.last["account.rename"]
        categories = {category["id"]: category for category in client.call("consent.get", {})["categories"]}
        assert categories["analytics"]["status"] == person.last["consent.decide"]
        assert client.call("notifications.get", {})["digest"] == person.last["notifications.update"]
        permissions = {item["kind"]: item for item in client.call("permission.list", {})["items"]}
        assert permissions["camera"]["status"] == person.last["permission.report"]


def entries(client, **filters):
    """All pages of the audit trail."""
    found, cursor = [], None
    while True:
        page = client.call("audit.entries", {"limit": 200, **filters, **({"cursor": cursor} if cursor else {})})
        found += page["items"]
        cursor = page.get("nextCursor")
        if not cursor:
            return found
