# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Request-reply through nats-server, with Debian's libnats at both ends: a broker in place of a connection to the server.
`nats` leaves reading and handing over to libnats's threads; `nats/loop` drives its connections from one thread each."""

from pathlib import Path

from .benchmark import BENCHMARKS, Benchmark
from .loads import run_load
from .packages import compile_c, install
from .servers import Server, Together, free_port

SOURCES = BENCHMARKS / "peers/nats"
MODES = {"nats": "threads", "nats/loop": "loop"}
NAMES = list(MODES)
PAYLOAD_BYTES = 250


def build(folder: Path) -> tuple[Path, Path]:
    install("nats-server", "libnats-dev")
    headers = [SOURCES / "connection.h", BENCHMARKS / "load/latency.h"]
    return (
        compile_c(SOURCES / "echo.c", folder / "nats-echo", "nats", *headers),
        compile_c(SOURCES / "load.c", folder / "nats-load", "nats", *headers))


def enter(benchmark: Benchmark) -> None:
    echo, load = build(benchmark.built)
    folder = benchmark.subfolder("nats")
    for name, mode in MODES.items():
        if benchmark.wants([name]):
            enter_mode(benchmark, name, mode, echo, load, folder)


def enter_mode(benchmark: Benchmark, name: str, mode: str, echo: Path, load: Path, folder: Path) -> None:
    port = free_port()
    url = f"nats://127.0.0.1:{port}"
    server = benchmark.running.enter_context(
        Server(["/usr/sbin/nats-server", "-a", "127.0.0.1", "-p", str(port)], folder / f"{mode}-server-log"))
    server.wait_for_port(port)
    responder = benchmark.running.enter_context(Server([str(echo), url, mode], folder / f"{mode}-log"))
    benchmark.row(
        name, Together(server, responder),
        lambda in_flight, seconds: run_load(
            [str(load), url, mode, str(in_flight), str(seconds), str(PAYLOAD_BYTES)], seconds))
