# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""The load generators. Each prints one line of JSON; none of them is Python, so none slows what it measures."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .servers import Failure


@dataclass(frozen=True)
class Measurement:
    calls: int
    seconds: float
    p50_micros: float
    p99_micros: float
    errors: int
    # Of the generator itself, where it says them.
    cpu_seconds: float = 0
    peak_mib: float = 0


def run_load(command: list[str], seconds: float, environment: dict[str, str] | None = None) -> Measurement:
    """Runs a generator that works for `seconds`. Calls that fail are counted by it; its own failure is raised."""
    name = Path(command[0]).name
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds + 60,
            env={**os.environ, **(environment or {})})
    except subprocess.TimeoutExpired as timeout:
        raise Failure(f"{name} did not end") from timeout
    results = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if not results:
        raise Failure(f"{name}: {done.stderr.strip() or done.stdout.strip()}")
    values = json.loads(results[-1])
    return Measurement(
        values["calls"], values["seconds"], values["p50Micros"], values["p99Micros"], values["errors"],
        values.get("cpuSeconds", 0), values.get("peakMiB", 0))


def zmq_load(
    generator: Path, endpoint: str, in_flight: int, seconds: float, bodies: Path, metadata: str | None = None,
    keys: dict[str, str] | None = None
) -> Measurement:
    """One DEALER. `metadata` is the JSON of Assent's second frame, `keys` the environment of CURVE."""
    command = [str(generator), endpoint, str(in_flight), str(seconds), str(bodies)]
    return run_load(command + ([metadata] if metadata else []), seconds, keys)


def wrk_load(
    script: Path, url: str, in_flight: int, seconds: float, bodies: Path, authorizations: Path | None = None
) -> Measurement:
    """One thread, a connection for each call in flight."""
    command = [
        "wrk", "-t1", f"-c{in_flight}", f"-d{int(seconds)}s", "--timeout", "30s", "-s", str(script), url, "--",
        str(bodies)]
    return run_load(command + ([str(authorizations)] if authorizations else []), seconds)
