# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Single durable inserts on the same disk: what one writer gets who waits for each commit."""

from .benchmark import BENCHMARKS, Benchmark
from .loads import run_load
from .packages import compile_c, install

NAMES = ["sqlite-insert"]


def measure(benchmark: Benchmark) -> None:
    install("libsqlite3-dev")
    insert = compile_c(
        BENCHMARKS / "peers/sqlite/insert.c", benchmark.built / "sqlite-insert", "sqlite3",
        BENCHMARKS / "load/latency.h")
    folder = benchmark.subfolder("sqlite-insert")
    measured = run_load([str(insert), str(folder / "data.db"), str(benchmark.seconds)], benchmark.seconds)
    benchmark.note("sqlite-insert", 1, measured, measured.cpu_seconds, measured.peak_mib)
