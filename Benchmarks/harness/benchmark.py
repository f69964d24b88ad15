# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""What the suites share: the run's folder, how long to measure, the rows so far."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from .loads import Measurement
from .rows import Row, header, text
from .servers import Server

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "Benchmarks"
# Assent's programs: built by the run, or elsewhere and used as they are.
PROGRAMS = Path(os.environ.get("ASSENT_BIN_DIR") or ROOT / ".build/release")
IN_FLIGHT = [1, 64]
WARM_UP_SECONDS = 1


class Benchmark:
    def __init__(self, folder: Path, seconds: int, only: list[str]):
        self.folder = folder
        self.seconds = seconds
        self.rows: list[Row] = []
        self.failures: list[str] = []
        self._only = only
        # Compiled peers and Python packages stay from run to run.
        self.built = ROOT / ".build" / "benchmarks"
        self.built.mkdir(parents=True, exist_ok=True)

    def wants(self, names: list[str]) -> bool:
        return not self._only or any(name.startswith(prefix) for name in names for prefix in self._only)

    def subfolder(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir(mode=0o755)
        return folder

    def row(self, name: str, server: Server, in_flight: int, load: Callable[[float], Measurement]) -> None:
        """Warms up, measures, and notes the row. `load` runs for the seconds it is given."""
        if not self.wants([name]):
            return
        load(WARM_UP_SECONDS)
        cpu_before = server.cpu_seconds()
        measured = load(self.seconds)
        cpu_seconds = server.cpu_seconds() - cpu_before
        self.note(name, in_flight, measured, cpu_seconds, server.peak_mib())

    def note(self, name: str, in_flight: int, measured: Measurement, cpu_seconds: float, peak_mib: float) -> None:
        row = Row(
            name=name, inFlight=in_flight, perSecond=measured.calls / measured.seconds,
            p50Micros=measured.p50_micros, p99Micros=measured.p99_micros,
            cpuMicrosPerCall=cpu_seconds * 1e6 / max(1, measured.calls), peakMiB=peak_mib)
        if not self.rows:
            print(header())
        self.rows.append(row)
        print(text(row), flush=True)
        if measured.errors:
            self.fail(f"{name}, {in_flight} in flight", f"{measured.errors} calls failed")

    def fail(self, what: str, reason: str) -> None:
        say(f"{what}: {reason}")
        self.failures.append(f"{what}: {reason}")


def say(message: str) -> None:
    print(f"benchmark: {message}", file=sys.stderr, flush=True)
