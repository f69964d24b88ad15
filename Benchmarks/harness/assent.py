# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Assent whole: six programs as deploy/up starts them, called through the gateway over HTTP and over ZeroMQ."""

import json
import os
import time
from datetime import datetime, timezone
from pathlib import Path

from .benchmark import BENCHMARKS, IN_FLIGHT, ROOT, Benchmark, say
from .bodies import alternating, check_params, decide_params, request, write_lines
from .client import Client
from .libzmq import generator
from .loads import wrk_load, zmq_load
from .packages import check, install
from .servers import Failure, Server, Together, free_port

NAMES = [
    "consent.check/http", "consent.check/zmq", "settings.load/http", "consent.decide/http", "consent.decide/zmq"]
SCOPES = ["check", "agent", "account", "session"]
CHECKED = 1000
DECIDING = 1000
SIGNED_IN = 200


def build() -> None:
    say("building Assent (the first time takes some minutes)")
    check([str(ROOT / "deploy/up"), "--build-only"])


class Assent(Server):
    def __init__(self, folder: Path, settings: dict[str, str] | None = None):
        self.http_port, self.zmq_port = free_port(), free_port()
        self._data = folder / "data"
        environment = {
            **os.environ, "ASSENT_DATA_DIR": str(self._data), "ASSENT_HTTP_PORT": str(self.http_port),
            "ASSENT_ZMQ_PORT": str(self.zmq_port), **(settings or {})}
        super().__init__([str(ROOT / "deploy/up")], folder / "log", env=environment)

    def wait(self) -> None:
        self.wait_until(lambda: "assent: ready" in self.log_text())

    def process_ids(self) -> list[int]:
        """The six programs, without the script that watches them."""
        return list(self.pids().values())

    def pids(self) -> dict[str, int]:
        return {path.stem: int(path.read_text()) for path in sorted((self._data / "run").glob("*.pid"))}

    @property
    def bus(self) -> Path:
        """The folder of the services' sockets."""
        return self._data / "bus"

    @property
    def credentials(self) -> dict[str, str]:
        return json.loads((self._data / "credentials.json").read_text())

    def store_bytes(self) -> dict[str, int]:
        """The size of each service's SQLite file, and of its log."""
        sizes: dict[str, int] = {}
        for path in sorted(self._data.glob("*.db")):
            sizes[path.stem] = path.stat().st_size
            sizes[f"{path.stem}, log"] = Path(f"{path}-wal").stat().st_size
        return sizes

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.http_port}/rpc"

    @property
    def endpoint(self) -> str:
        return f"tcp://127.0.0.1:{self.zmq_port}"

    def make_key(self) -> str:
        """A service key, as an app's own servers have one."""
        admin = Client(self.http_port, self.credentials["adminKey"])
        key = admin.call("key.create", {"name": "benchmark", "owner": "benchmark", "scopes": SCOPES})["key"]
        # Gateways learn of a new key within a second.
        end = time.monotonic() + 5
        while True:
            try:
                Client(self.http_port, key).call("consent.check", check_params("nobody"))
                return key
            except Failure:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)


def enter(benchmark: Benchmark) -> None:
    install("wrk")
    build()
    folder = benchmark.subfolder("assent")
    assent = benchmark.running.enter_context(Assent(folder))
    assent.wait()
    Rows(benchmark, assent, folder).enter()


class Rows:
    def __init__(self, benchmark: Benchmark, assent: Assent, folder: Path, server: Together | None = None):
        """`server`: whose processor time counts, when the programs are not all."""
        self._benchmark = benchmark
        self._assent = assent
        self._server = server or assent
        self._folder = folder
        self._generator = generator(benchmark)
        self._key = assent.make_key()
        self._client = Client(assent.http_port, self._key)
        self._policy = self._client.call("consent.catalog", {})["policyVersion"]

    def enter(self) -> None:
        self._enter_checks()
        self._enter_settings()
        for face in ("http", "zmq"):
            self.enter_decisions(face)

    def _lines(self, name: str, lines) -> Path:
        return write_lines(self._folder / name, lines)

    def _enter(
        self, name: str, bodies: Path, authorizations: Path | None = None, in_flight: list[int] = IN_FLIGHT
    ) -> None:
        key_line = authorizations or self._lines("key", [f"Bearer {self._key}"])
        if "/http" in name:
            def load(in_flight: int, seconds: float):
                return wrk_load(
                    BENCHMARKS / "load/calls.lua", self._assent.url, in_flight, seconds, bodies, key_line)
        else:
            metadata = json.dumps({"authorization": f"Bearer {self._key}"})

            def load(in_flight: int, seconds: float):
                return zmq_load(self._generator, self._assent.endpoint, in_flight, seconds, bodies, metadata)
        self._benchmark.row(name, self._server, load, in_flight)

    def _enter_checks(self) -> None:
        accounts = [f"checked-{i}" for i in range(CHECKED)]
        self._client.call_all("consent.decide", [decide_params(each, self._policy, True) for each in accounts])
        # One of each kind of call is looked at, since wrk does not read the replies.
        if not self._client.call("consent.check", check_params(accounts[0]))["allowed"]:
            raise Failure("consent.check: a granted category is not allowed")
        bodies = self._lines("checks", [request("consent.check", check_params(each)) for each in accounts])
        for face in ("http", "zmq"):
            self._enter(f"consent.check/{face}", bodies)

    def _enter_settings(self) -> None:
        if not self._benchmark.wants(["settings.load/http"]):
            return
        accounts = [f"person-{i}" for i in range(SIGNED_IN)]
        self._client.call_all("account.create", [
            {"accountId": each, "name": "Maya", "email": f"{each}@example.com"} for each in accounts])
        now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        tokens = [
            grant["token"] for grant in self._client.call_all(
                "session.start", [{"accountId": each, "authenticatedAt": now} for each in accounts])]
        sections = Client(self._assent.http_port, tokens[0]).call("settings.load", {})
        faulty = [name for name, section in sections.items() if isinstance(section, dict) and section.get("ok") is False]
        if faulty:
            raise Failure(f"settings.load: {', '.join(faulty)} not ok")
        bodies = self._lines("settings", [request("settings.load", {})])
        authorizations = self._lines("tokens", [f"Bearer {token}" for token in tokens])
        self._enter("settings.load/http", bodies, authorizations)

    def enter_decisions(self, face: str, suffix: str = "") -> None:
        """Accounts of its own for each row, so that every call changes something."""
        for in_flight in IN_FLIGHT:
            accounts = [f"deciding-{face}-{in_flight}-{i}" for i in range(DECIDING)]
            bodies = self._lines(f"decisions-{face}-{in_flight}", [
                request("consent.decide", params) for params in alternating(accounts, self._policy)])
            self._enter(f"consent.decide/{face}{suffix}", bodies, in_flight=[in_flight])
