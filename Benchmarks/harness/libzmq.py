# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""The limit: a bare ROUTER in C that echoes the bytes."""

from pathlib import Path

from .benchmark import BENCHMARKS, Benchmark
from .bodies import echo_bodies
from .loads import zmq_load
from .packages import compile_c, install
from .servers import Server, free_port

NAMES = ["raw-libzmq"]


def generator(benchmark: Benchmark) -> Path:
    install("libzmq3-dev")
    load = BENCHMARKS / "load"
    return compile_c(load / "zmq_load.c", benchmark.built / "zmq_load", "zmq", load / "latency.h")


def enter(benchmark: Benchmark) -> None:
    load = generator(benchmark)
    echo = compile_c(BENCHMARKS / "peers/libzmq/echo.c", benchmark.built / "libzmq-echo", "zmq")
    folder = benchmark.subfolder("libzmq")
    bodies = echo_bodies(folder / "bodies")
    port = free_port()
    endpoint = f"tcp://127.0.0.1:{port}"
    server = benchmark.running.enter_context(Server([str(echo), endpoint], folder / "log"))
    server.wait_for_port(port)
    benchmark.row(
        "raw-libzmq", server, lambda in_flight, seconds: zmq_load(load, endpoint, in_flight, seconds, bodies))
