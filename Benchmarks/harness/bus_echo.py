# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""One hop of Assent's bus: params decoded into a type, given back and encoded. `bus-echo` gets the very bytes that
`raw-libzmq` gets; `bus-echo/metadata` has Assent's two frames ahead of them, as services call one another;
`bus-echo/curve` is encrypted."""

import os
import subprocess
from pathlib import Path

from .assent import build
from .benchmark import IN_FLIGHT, PROGRAMS, Benchmark
from .bodies import echo_bodies
from .libzmq import generator
from .loads import zmq_load
from .servers import Server, free_port

METADATA = {"bus-echo": None, "bus-echo/metadata": '{"timeoutMs":5000}'}
CURVE = "bus-echo/curve"
NAMES = [*METADATA, CURVE]


def measure(benchmark: Benchmark) -> None:
    build()
    load = generator(benchmark)
    folder = benchmark.subfolder("bus-echo")
    bodies = echo_bodies(folder / "bodies")
    port = free_port()
    endpoint = f"tcp://127.0.0.1:{port}"
    with Server([str(PROGRAMS / "bus-echo"), endpoint], folder / "log") as server:
        server.wait_for_port(port)
        for name, metadata in METADATA.items():
            for in_flight in IN_FLIGHT:
                benchmark.row(
                    name, server, in_flight,
                    lambda seconds: zmq_load(load, endpoint, in_flight, seconds, bodies, metadata))
    if not benchmark.wants([CURVE]):
        return
    server_keys, client_keys = make_keys(folder)
    port = free_port()
    endpoint = f"tcp://127.0.0.1:{port}"
    with Server(
        [str(PROGRAMS / "bus-echo"), endpoint], folder / "curve-log", env={**os.environ, **server_keys}
    ) as server:
        server.wait_for_port(port)
        for in_flight in IN_FLIGHT:
            benchmark.row(
                CURVE, server, in_flight,
                lambda seconds: zmq_load(load, endpoint, in_flight, seconds, bodies, keys=client_keys))


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
