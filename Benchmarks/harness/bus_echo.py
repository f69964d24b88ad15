# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""One hop of Assent's bus: params decoded into a type, given back and encoded. `bus-echo` gets the very bytes that
`raw-libzmq` gets; `bus-echo/metadata` has Assent's two frames ahead of them, as services call one another;
`bus-echo/curve` is encrypted."""

import os
import subprocess
from pathlib import Path

from .assent import build
from .benchmark import PROGRAMS, Benchmark
from .bodies import echo_bodies
from .libzmq import generator
from .loads import zmq_load
from .servers import Server, free_port

METADATA = {"bus-echo": None, "bus-echo/metadata": '{"timeoutMs":5000}'}
CURVE = "bus-echo/curve"
NAMES = [*METADATA, CURVE]


def enter(benchmark: Benchmark) -> None:
    build()
    load = generator(benchmark)
    folder = benchmark.subfolder("bus-echo")
    bodies = echo_bodies(folder / "bodies")

    def row(name: str, endpoint: str, server: Server, metadata: str | None = None, keys: dict | None = None) -> None:
        benchmark.row(
            name, server,
            lambda in_flight, seconds: zmq_load(load, endpoint, in_flight, seconds, bodies, metadata, keys))

    endpoint, server = start(benchmark, folder / "log", {})
    for name, metadata in METADATA.items():
        row(name, endpoint, server, metadata)
    if benchmark.wants([CURVE]):
        server_keys, client_keys = make_keys(folder)
        endpoint, server = start(benchmark, folder / "curve-log", server_keys)
        row(CURVE, endpoint, server, keys=client_keys)


def start(benchmark: Benchmark, log: Path, settings: dict[str, str]) -> tuple[str, Server]:
    port = free_port()
    endpoint = f"tcp://127.0.0.1:{port}"
    server = benchmark.running.enter_context(
        Server([str(PROGRAMS / "bus-echo"), endpoint], log, env={**os.environ, **settings}))
    server.wait_for_port(port)
    return endpoint, server


def make_keys(folder: Path) -> tuple[dict[str, str], dict[str, str]]:
    """The environments of a server and of a client that it lets in."""
    public, secret = {}, {}
    for name in ("server", "client"):
        path = folder / f"{name}.key"
        made = subprocess.run(
            [str(PROGRAMS / "assentctl"), "keygen", str(path)], check=True, capture_output=True, text=True)
        public[name] = made.stdout.strip()
        secret[name] = path.read_text().split("secret ")[1].split()[0]
    peers = folder / "peers"
    peers.write_text(f"gateway {public['client']}\n")
    return (
        {"ASSENT_CURVE_KEY_FILE": str(folder / "server.key"), "ASSENT_CURVE_PEERS_FILE": str(peers)},
        {"LOAD_SERVER_KEY": public["server"], "LOAD_PUBLIC_KEY": public["client"], "LOAD_SECRET_KEY": secret["client"]})
