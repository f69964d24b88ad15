# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""The command line: which rows, for how long, and where the results go."""

import argparse
import signal
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

from . import assent, bus_echo, fastapi, grpc_cpp, libzmq, nats, pgbench, sqlite_insert
from .benchmark import Benchmark
from .ratios import ratios
from .rows import table, write_json
from .servers import Failure

# In the order of the table. Those of a group take turns, since they are compared; those of others do not run meanwhile.
GROUPS = [
    [libzmq, nats, bus_echo, grpc_cpp],
    [assent, sqlite_insert, fastapi.Suite("sqlite")],
    [fastapi.Suite("postgres"), pgbench],
]


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    # Like Ctrl-C: what was started is stopped on the way out.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="assent-benchmark-", dir=options.directory) as folder:
        # The PostgreSQL cluster's user must be able to enter.
        Path(folder).chmod(0o755)
        benchmark = Benchmark(Path(folder), seconds=1 if options.quick else 4, only=options.only)
        try:
            for group in GROUPS:
                with ExitStack() as benchmark.running:
                    for suite in group:
                        enter(benchmark, suite)
                    benchmark.measure()
        except KeyboardInterrupt:
            print("benchmark: interrupted", file=sys.stderr)
            return 130
    print(table(benchmark.rows))
    print()
    print("\n".join(ratios(benchmark.rows)))
    if options.json:
        write_json(benchmark.rows, options.json)
    for failure in benchmark.failures:
        print(f"benchmark: {failure}", file=sys.stderr)
    return 1 if benchmark.failures else 0


def enter(benchmark: Benchmark, suite) -> None:
    """Starts a suite's servers and enters its rows."""
    if not benchmark.wants(suite.NAMES):
        return
    try:
        suite.enter(benchmark)
    except Failure as failure:
        benchmark.fail(suite.NAMES[0], str(failure))


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="Benchmarks/run", description="Measures Assent beside its peers on this machine and prints a table.")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the rows to FILE")
    parser.add_argument("--quick", action="store_true", help="3 s a row instead of 12: under three minutes")
    parser.add_argument(
        "--only", metavar="NAME", action="append", default=[], help="only rows whose names begin so; can be repeated")
    parser.add_argument(
        "--directory", metavar="DIR", default="/var/tmp",
        help="where the run keeps its files; its disk is what durable writes are measured on (default /var/tmp)")
    return parser.parse_args(arguments)
