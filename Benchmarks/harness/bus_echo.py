# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""One hop of Assent's bus: params decoded into a type, given back and encoded. `bus-echo` gets the very bytes that
`raw-libzmq` gets; `bus-echo/metadata` has Assent's two frames ahead of them, as services call one another."""

from .assent import build
from .benchmark import IN_FLIGHT, PROGRAMS, Benchmark
from .bodies import echo_bodies
from .libzmq import generator
from .loads import zmq_load
from .servers import Server, free_port

METADATA = {"bus-echo": None, "bus-echo/metadata": '{"timeoutMs":5000}'}
NAMES = list(METADATA)


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
