# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Single durable inserts on the same disk: what one writer gets who waits for each commit."""

import tempfile

from .benchmark import BENCHMARKS, Benchmark
from .loads import Measurement, run_load
from .packages import compile_c, install

NAMES = ["sqlite-insert"]


def enter(benchmark: Benchmark) -> None:
    install("libsqlite3-dev")
    insert = compile_c(
        BENCHMARKS / "peers/sqlite/insert.c", benchmark.built / "sqlite-insert", "sqlite3",
        BENCHMARKS / "load/latency.h")
    folder = benchmark.subfolder("sqlite-insert")

    def load(_: int, seconds: float) -> Measurement:
        """Into a new file each time."""
        with tempfile.TemporaryDirectory(dir=folder) as fresh:
            return run_load([str(insert), f"{fresh}/data.db", str(seconds)], seconds)

    benchmark.row("sqlite-insert", None, load, in_flight=[1])
