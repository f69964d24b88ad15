# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""What a team would write instead: FastAPI on uvicorn, with PostgreSQL or SQLite."""

import json
import os
import urllib.request
from pathlib import Path

from .benchmark import BENCHMARKS, Benchmark
from .bodies import alternating, check_params, write_lines
from .loads import wrk_load
from .packages import install, python_environment
from .postgres import Postgres
from .servers import Server, Together, free_port

SOURCES = BENCHMARKS / "peers/fastapi"
# With SQLite one process, as an embedded database is used, and as Assent has one replica of each service on it; README.md
# says what a second one changes.
WORKERS = {"postgres": 2, "sqlite": 1}
ACCOUNTS = [f"account-{i}" for i in range(1000)]


class Suite:
    """FastAPI with one of the stores."""

    def __init__(self, store: str):
        self._store = store
        self.NAMES = [f"fastapi.{call}/{store}" for call in ("check", "decide")]

    def enter(self, benchmark: Benchmark) -> None:
        install("wrk")
        python = python_environment(benchmark.built / "fastapi-venv", SOURCES / "requirements.txt")
        folder = benchmark.subfolder(f"fastapi-{self._store}")
        if self._store == "sqlite":
            enter_store(benchmark, "sqlite", python, folder, {"SQLITE_PATH": str(folder / "peer.db")})
            return
        cluster = folder / "cluster"
        cluster.mkdir()
        postgres = Postgres(cluster)
        database = benchmark.running.enter_context(postgres.start())
        enter_store(benchmark, "postgres", python, folder, {"DSN": postgres.dsn}, database)


def enter_store(
    benchmark: Benchmark, store: str, python: Path, folder: Path, settings: dict, *database: Server
) -> None:
    bodies = {
        "decide": write_lines(folder / "decide", map(json.dumps, alternating(ACCOUNTS))),
        "check": write_lines(folder / "check", map(json.dumps, map(check_params, ACCOUNTS)))}
    port = free_port()
    url = f"http://127.0.0.1:{port}"
    command = [
        str(python / "uvicorn"), "app:app", "--app-dir", str(SOURCES), "--port", str(port), "--no-access-log",
        "--log-level", "warning", "--loop", "uvloop", "--http", "httptools", "--workers", str(WORKERS[store])]
    environment = {**os.environ, "STORE": store, "PYTHONDONTWRITEBYTECODE": "1", **settings}
    server = benchmark.running.enter_context(Server(command, folder / f"{store}.log", env=environment))
    server.wait_until(lambda: answers(f"{url}/health"))

    def row(call: str) -> None:
        benchmark.row(
            f"fastapi.{call}/{store}", Together(server, *database),
            lambda in_flight, seconds: wrk_load(
                BENCHMARKS / "load/calls.lua", f"{url}/{call}", in_flight, seconds, bodies[call]))

    row("decide")
    row("check")


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as reply:
            return reply.status == 200
    except OSError:
        return False
