# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""What the suites share: the run's folder, the servers that run, the rows and how they are measured."""

import os
import statistics
import sys
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from .loads import Measurement
from .rows import Row
from .servers import Failure, Server

ROOT = Path(__file__).resolve().parents[2]
BENCHMARKS = ROOT / "Benchmarks"
# Assent's programs: built by the run, or elsewhere and used as they are.
PROGRAMS = Path(os.environ.get("ASSENT_BIN_DIR") or ROOT / ".build/release")
IN_FLIGHT = [1, 64]
WARM_UP_SECONDS = 1
# How often each row is measured.
TURNS = 3

# Runs for a number of calls in flight and of seconds.
Load = Callable[[int, float], Measurement]


@dataclass
class Contender:
    """What becomes a row: who answers, none for a load that does it all itself, and what it did in each turn."""

    name: str
    in_flight: int
    server: Server | None
    load: Load
    turns: list[Row] = field(default_factory=list)
    errors: int = 0

    def take_turn(self, seconds: float) -> None:
        cpu_before = self.server.cpu_seconds() if self.server else 0
        measured = self.load(self.in_flight, seconds)
        cpu_seconds = self.server.cpu_seconds() - cpu_before if self.server else measured.cpu_seconds
        peak_mib = self.server.peak_mib() if self.server else measured.peak_mib
        self.errors += measured.errors
        self.turns.append(Row(
            name=self.name, inFlight=self.in_flight, perSecond=measured.calls / measured.seconds,
            p50Micros=measured.p50_micros, p99Micros=measured.p99_micros,
            cpuMicrosPerCall=cpu_seconds * 1e6 / max(1, measured.calls), peakMiB=peak_mib))

    def row(self) -> Row:
        """The medians of the turns, and the peak of all."""
        def median(figure: str) -> float:
            return statistics.median(getattr(turn, figure) for turn in self.turns)

        return Row(
            name=self.name, inFlight=self.in_flight, perSecond=median("perSecond"), p50Micros=median("p50Micros"),
            p99Micros=median("p99Micros"), cpuMicrosPerCall=median("cpuMicrosPerCall"),
            peakMiB=max(turn.peakMiB for turn in self.turns))


class Benchmark:
    def __init__(self, folder: Path, seconds: int, only: list[str]):
        """- Parameters:
        folder: for what the run keeps.
        seconds: of a turn.
        only: how the names of the rows begin that are wanted; all when empty."""
        self.folder = folder
        self.seconds = seconds
        self.rows: list[Row] = []
        self.failures: list[str] = []
        # What has been started for the rows that are entered.
        self.running = ExitStack()
        self._contenders: list[Contender] = []
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

    def row(self, name: str, server: Server | None, load: Load, in_flight: list[int] = IN_FLIGHT) -> None:
        """Enters what is to be measured, if it is wanted; its server runs until it was."""
        if self.wants([name]):
            self._contenders += [Contender(name, each, server, load) for each in in_flight]

    def measure(self) -> None:
        """Warms up all that are entered, then has them take turns: a shared host gives more or less from minute to minute,
        and so each gets of everything."""
        if not self._contenders:
            return
        for seconds, what in [(WARM_UP_SECONDS, "warming up")] + [
            (self.seconds, f"turn {turn + 1} of {TURNS}") for turn in range(TURNS)
        ]:
            say(what)
            for contender in list(self._contenders):
                try:
                    contender.take_turn(seconds)
                except Failure as failure:
                    self._contenders.remove(contender)
                    self.fail(f"{contender.name}, {contender.in_flight} in flight", str(failure))
        for contender in self._contenders:
            # The first was the warm-up.
            del contender.turns[0]
            self.rows.append(contender.row())
            if contender.errors:
                self.fail(f"{contender.name}, {contender.in_flight} in flight", f"{contender.errors} calls failed")
        self._contenders = []

    def fail(self, what: str, reason: str) -> None:
        say(f"{what}: {reason}")
        self.failures.append(f"{what}: {reason}")


def say(message: str) -> None:
    print(f"benchmark: {message}", file=sys.stderr, flush=True)
