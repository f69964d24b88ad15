# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""A running system for the end-to-end tests, started by deploy/up as a user starts it, and a plain client."""

import atexit
import functools
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid

import pytest
import zmq

from http_client import Client, RPCError
from postgresql import PostgreSQL

# A run that a shell started in the background ignores SIGINT, and so would all that it starts: a script can not undo that.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARIES = pathlib.Path(os.environ.get("ASSENT_BIN_DIR", ROOT / ".build" / "release"))
# Clients that come and go or mean harm, and what a process holds: the benchmarks' own.
sys.path.append(str(ROOT / "Benchmarks"))
SERVICES = [
    "account-service",
    "audit-service",
    "consent-service",
    "permission-service",
    "notification-prefs-service",
    "gateway",
]


# What systems keep their data in unless a test says: sqlite or postgresql.
STORE = os.environ.get("ASSENT_TEST_STORE", "sqlite")
assert STORE in ("sqlite", "postgresql"), f"ASSENT_TEST_STORE is {STORE}: must be sqlite or postgresql"


@functools.cache
def shared_postgresql():
    """The server of all tests that do not stop it."""
    server = PostgreSQL().start()
    atexit.register(server.remove)
    return server


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Callers:
    """Who calls a running system: needs its `http_port`, `zmq_port` and `credentials`."""

    @property
    def url(self):
        return f"http://127.0.0.1:{self.http_port}"

    @property
    def zmq_endpoint(self):
        return f"tcp://127.0.0.1:{self.zmq_port}"

    def zmq_context(self):
        """Makes the sockets of clients of the ZeroMQ endpoint."""
        return zmq.Context()

    def client(self, token=None):
        return Client(self.http_port, token)

    @property
    def admin(self):
        return self.client(self.credentials["adminKey"])

    def key(self, *scopes):
        """A client with a new service key of these scopes."""
        made = self.admin.call("key.create", {"name": f"k-{uuid.uuid4()}", "owner": "tests", "scopes": list(scopes)})
        return self.client(made["key"])

    def device(self):
        """(client, deviceId) of a new device before sign-in."""
        started = self.client().call(
            "session.startDevice",
            {"appKey": self.credentials["publishableKey"], "platform": "ios", "appVersion": "2.4"},
        )
        return self.client(started["token"]), started["deviceId"]

    def person(self, account=None, **profile):
        """(client, accountId) of a new, signed-in person."""
        account = account or f"u-{uuid.uuid4()}"
        admin = self.admin
        admin.call(
            "account.create",
            {"accountId": account, "name": "Ada Lovelace", "email": f"{account}@example.com", **profile},
        )
        return self.sign_in(account), account

    def sign_in(self, account, **more):
        now = time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())
        session = self.admin.call("session.start", {"accountId": account, "authenticatedAt": now, **more})
        return self.client(session["token"])


class System(Callers):
    """The six programs on a data folder of their own, and on a database of their own where `store` is postgresql."""

    def __init__(self, data=None, demo=False, environment=None, store=None, database=None):
        self.data = pathlib.Path(data or tempfile.mkdtemp(prefix="assent-"))
        self.demo = demo
        self.environment = dict(environment or {})
        self.store = store or STORE
        self.database = database
        if self.store == "postgresql":
            self.database = database or shared_postgresql()
            self.environment.setdefault("ASSENT_DATABASE_URL", self.database.new_database())
        self.http_port = free_port()
        self.zmq_port = free_port()
        self.process = None
        self.output = None

    def start(self, timeout=60, until="assent: ready "):
        environment = dict(
            os.environ,
            ASSENT_DATA_DIR=str(self.data),
            ASSENT_HTTP_PORT=str(self.http_port),
            ASSENT_ZMQ_PORT=str(self.zmq_port),
            **self.environment,
        )
        self.output = open(self.data / "up.log", "a+")
        begun = self.output.tell()
        self.process = subprocess.Popen(
            [str(ROOT / "deploy" / "up")] + (["--demo"] if self.demo else []),
            env=environment,
            stdout=self.output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        end = time.monotonic() + timeout
        while time.monotonic() < end:
            self.output.seek(begun)
            said = self.output.read()
            if until in said:
                return self
            if self.process.poll() is not None:
                raise RuntimeError(f"deploy/up ended with {self.process.returncode}: {said}")
            time.sleep(0.02)
        self.stop()
        raise RuntimeError(f"not ready: {said}")

    def stop(self):
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        status = self.process.returncode
        self.process = None
        self.output.close()
        return status

    def pid(self, name):
        return int((self.data / "run" / f"{name}.pid").read_text())

    def log(self, name):
        path = self.data / "log" / f"{name}.log"
        return path.read_text() if path.exists() else ""

    @property
    def credentials(self):
        return json.loads((self.data / "credentials.json").read_text())


def eventually(check, timeout=10, every=0.02):
    """Waits until check() gives something true, and gives that; the last failure otherwise."""
    end = time.monotonic() + timeout
    while True:
        try:
            value = check()
            if value:
                return value
            failure = AssertionError(f"never true: {check}")
        except (AssertionError, RPCError, OSError) as error:
            failure = error
        if time.monotonic() > end:
            raise failure
        time.sleep(every)


def pause(pid):
    """Stops a process and waits until all of it stands still: on a busy machine the signal takes its time."""
    os.kill(pid, signal.SIGSTOP)
    tasks = pathlib.Path(f"/proc/{pid}/task")
    eventually(lambda: all(task.read_text().rsplit(")", 1)[1].split()[0] == "T" for task in tasks.glob("*/stat")))


@pytest.fixture(scope="session")
def system():
    """One system for all tests that do not break it."""
    running = System().start()
    yield running
    running.stop()


@pytest.fixture
def own_postgresql():
    """A server that the test may stop."""
    server = PostgreSQL().start()
    yield server
    server.remove()


@pytest.fixture
def own_system():
    """Makes systems for tests that kill programs or look at starts; all are stopped at the end."""
    made = []

    def make(**options):
        made.append(System(**options))
        return made[-1]

    yield make
    for one in made:
        one.stop()
