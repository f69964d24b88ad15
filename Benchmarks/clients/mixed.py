# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""A steady mixed load on a running system: reads and audited writes over HTTP and ZeroMQ, people who sign in and out,
clients that come and go, and calls that must be refused.

    python -m clients.mixed CONFIGURATION

CONFIGURATION is JSON, see `Target`. Prints a line of JSON when it ends: how many calls of each kind were made, and how
many were not answered as they should be, with the first such answer of each kind. Ends at SIGTERM or after `seconds`."""

import collections
import dataclasses
import http.client
import itertools
import json
import signal
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime, timezone

import zmq

from . import churn

PERSON_PAUSE = 0.05
SERVER_PAUSE = 0.01
SESSION_PAUSE = 4.0
CHURN_PAUSE = 0.5
BAD_PAUSE = 0.2
PATIENCE_SECONDS = 15
# How long a call is repeated that was refused for now.
STUBBORNNESS_SECONDS = 10
ACCOUNTS = 100


@dataclasses.dataclass(frozen=True)
class Target:
    httpPort: int
    zmqEndpoint: str
    # A service's own socket.
    ipcEndpoint: str
    curveEndpoint: str
    curveKeys: dict
    adminKey: str
    publishableKey: str
    # A key that may check, decide and read accounts.
    serviceKey: str
    policyVersion: int
    people: int
    seconds: float


class Caller:
    """JSON-RPC over HTTP on one connection, opened again when the server has closed it."""

    def __init__(self, port: int, token: str | None = None):
        self.port = port
        self.token = token
        self.connection = None

    def post(self, body: bytes, token: str | None = None) -> tuple[int, dict]:
        headers = {"Content-Type": "application/json"}
        if token or self.token:
            headers["Authorization"] = f"Bearer {token or self.token}"
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)
        try:
            self.connection.request("POST", "/rpc", body, headers)
            reply = self.connection.getresponse()
            text = reply.read()
            if reply.will_close:
                self.close()
            return reply.status, json.loads(text) if text else {}
        except (OSError, http.client.HTTPException):
            self.close()
            raise

    def call(self, method: str, params: dict) -> dict:
        return stubbornly(method, lambda: self.post(request(method, params))[1])

    def close(self) -> None:
        if self.connection:
            self.connection.close()
        self.connection = None


class Refused(Exception):
    """An answer that should have been a result."""


def request(method: str, params: dict) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode()


def result(reply: dict, method: str) -> dict:
    if "result" not in reply:
        raise Refused(f"{method}: {json.dumps(reply.get('error'))}")
    return reply["result"]


retried: collections.Counter[str] = collections.Counter()


def stubbornly(method: str, ask: Callable[[], dict]) -> dict:
    """The result; a call that may be repeated is."""
    end = time.monotonic() + STUBBORNNESS_SECONDS
    while True:
        reply = ask()
        data = (reply.get("error") or {}).get("data") or {}
        if not data.get("retryable") or time.monotonic() > end:
            return result(reply, method)
        retried[f"repeated, {data.get('reason')}"] += 1
        time.sleep(data.get("retryAfterMs", 100) / 1000)


def now() -> str:
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Load:
    def __init__(self, target: Target):
        self.target = target
        self.is_stopping = threading.Event()
        self.counts: collections.Counter[str] = collections.Counter()
        self.failures: collections.Counter[str] = collections.Counter()
        self.first_failures: dict[str, str] = {}
        self.lock = threading.Lock()

    def run(self) -> None:
        kinds = [self.person] * self.target.people + [
            self.server, self.curve_server, self.sessions, self.churn_http, self.churn_zeromq, self.bad_calls]
        threads = [
            threading.Thread(target=self.repeat, args=(kind, number), daemon=True) for number, kind in enumerate(kinds)]
        for thread in threads:
            thread.start()
        self.is_stopping.wait(self.target.seconds)
        self.is_stopping.set()
        for thread in threads:
            thread.join(2 * PATIENCE_SECONDS)
        print(json.dumps({
            "calls": {**self.counts, **retried}, "failures": dict(self.failures), "firstFailures": self.first_failures}))

    def repeat(self, kind, number: int) -> None:
        """Takes the steps of one kind of client until the end; one that fails begins anew."""
        while not self.is_stopping.is_set():
            try:
                for name, pause in kind(number):
                    with self.lock:
                        self.counts[name] += 1
                    if self.is_stopping.wait(pause):
                        return
            except Exception as failure:  # counted, and told at the end
                with self.lock:
                    self.failures[kind.__name__] += 1
                    self.first_failures.setdefault(kind.__name__, repr(failure)[:500])
                self.is_stopping.wait(1)

    def sign_in(self, account: str) -> Caller:
        admin = Caller(self.target.httpPort, self.target.adminKey)
        admin.post(request("account.create", {
            "accountId": account, "name": "Maya", "email": f"{account}@example.com"}))
        grant = admin.call("session.start", {"accountId": account, "authenticatedAt": now()})
        admin.close()
        return Caller(self.target.httpPort, grant["token"])

    def person(self, number: int):
        """Changes a setting of each service in turn and reads it back. Tokens last some minutes: then it signs in anew."""
        caller = self.sign_in(f"soak-{number}")
        renew_at = time.monotonic() + 240
        for lap in itertools.count():
            odd = lap % 2 == 1
            caller.call("account.rename", {"name": f"Maya {lap % 10}"})
            yield "account.rename", PERSON_PAUSE
            caller.call("account.get", {})
            yield "account.get", PERSON_PAUSE
            caller.call("consent.decide", {
                "policyVersion": self.target.policyVersion, "decisions": {"analytics": odd}, "method": "toggle",
                "context": {"appVersion": "2.4", "osVersion": "18.2"}})
            yield "consent.decide", PERSON_PAUSE
            caller.call("notifications.update", {"digest": "daily" if odd else "off"})
            yield "notifications.update", PERSON_PAUSE
            caller.call("permission.report", {
                "platform": "ios", "permissions": [{"kind": "camera", "status": "authorized" if odd else "denied"}]})
            yield "permission.report", PERSON_PAUSE
            caller.call("settings.load", {})
            yield "settings.load", PERSON_PAUSE
            if time.monotonic() > renew_at:
                caller.call("session.signOut", {})
                return caller.close()

    def server(self, _: int):
        """An app's own server over ZeroMQ: checks, and decides for people."""
        yield from self.serve(self.target.zmqEndpoint, None)

    def curve_server(self, _: int):
        yield from self.serve(self.target.curveEndpoint, keys(self.target))

    def serve(self, endpoint: str, keys: churn.Keys | None):
        metadata = json.dumps({"authorization": f"Bearer {self.target.serviceKey}"}).encode()
        context = zmq.Context()
        try:
            dealer = churn.dealer(context, endpoint, keys)
            for lap in itertools.count():
                method, params = "consent.check", {
                    "accountId": f"served-{lap % ACCOUNTS}", "category": "analytics"}
                if lap % 10 == 9:
                    method, params = "consent.decide", {
                        "accountId": f"served-{lap % ACCOUNTS}", "policyVersion": self.target.policyVersion,
                        "decisions": {"analytics": lap // ACCOUNTS % 2 == 0}, "method": "save",
                        "context": {"appVersion": "2.4", "osVersion": "18.2"}}
                def ask() -> dict:
                    dealer.send_multipart([b"ASNT1", metadata, request(method, params)])
                    if not dealer.poll(PATIENCE_SECONDS * 1000):
                        raise Refused(f"{method}: no answer")
                    return json.loads(dealer.recv_multipart()[-1])

                stubbornly(method, ask)
                yield f"{method} over {'CURVE' if keys else 'ZeroMQ'}", SERVER_PAUSE
        finally:
            context.destroy(linger=0)

    def sessions(self, number: int):
        """A device begins, its person signs in, looks and signs out."""
        for lap in itertools.count():
            fresh = Caller(self.target.httpPort)
            device = fresh.call("session.startDevice", {
                "appKey": self.target.publishableKey, "platform": "ios", "appVersion": "2.4"})
            fresh.token = device["token"]
            fresh.call("consent.get", {})
            fresh.close()
            caller = self.sign_in(f"visitor-{lap % ACCOUNTS}")
            caller.call("account.get", {})
            caller.call("session.signOut", {})
            caller.close()
            yield "signed in and out", SESSION_PAUSE

    def churn_http(self, _: int):
        while True:
            churn.http(self.target.httpPort, 20)
            for _ in range(20):
                yield "connected by HTTP", 0
            self.is_stopping.wait(CHURN_PAUSE)

    def churn_zeromq(self, _: int):
        faces = [
            (self.target.zmqEndpoint, None, churn.UNKNOWN), (self.target.ipcEndpoint, None, churn.HEALTH),
            (self.target.curveEndpoint, keys(self.target), churn.UNKNOWN)]
        while True:
            for face in faces:
                churn.zeromq(face[0], 8, *face[1:])
                for _ in range(8):
                    yield "connected by ZeroMQ", 0
            self.is_stopping.wait(CHURN_PAUSE)

    def bad_calls(self, _: int):
        """Each must have its status, or its error."""
        caller = Caller(self.target.httpPort)
        for lap in itertools.count():
            for body, token, statuses in (
                (b"{", None, (400,)), (b"[" * 2000, None, (400,)), (b"[]", None, (400,)),
                (request("no.such", {}), None, (200,)), (request("account.get", {}), None, (401,)),
                (request("account.get", {}), f"unknown-{lap}", (401, 429, 503)),
                (request("consent.check", {"accountId": 7}), self.target.serviceKey, (200, 503)),
                (b'"' + b"x" * 1_100_000 + b'"', None, (413,)),
            ):
                status, reply = caller.post(body, token)
                if status not in statuses or "error" not in reply:
                    raise Refused(f"{body[:40]!r}: {status} {json.dumps(reply)[:200]}")
                yield "refused", BAD_PAUSE


def keys(target: Target) -> churn.Keys:
    return churn.Keys(**{name: key.encode() for name, key in target.curveKeys.items()})


if __name__ == "__main__":
    load = Load(Target(**json.loads(sys.argv[1])))
    signal.signal(signal.SIGTERM, lambda *_: load.is_stopping.set())
    load.run()
