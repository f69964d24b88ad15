# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""What a good client notices of hostile ones: its 99th percentile while they are at it, against the same without them.

The good client makes one call after the other with a short pause, on the same face. Windows with and without the attack
take turns, so that what else happens on the machine falls on both, and the medians of the windows are compared.

Attacks run on what others leave of the processors (`leftovers.py`), and all but two at a bounded rate
(`clients/hostile.py`): a client that takes all the processors of a machine slows everything on it, whatever it is sent
to, and who means harm has a machine of its own. What remains is what the attack costs the server. With `--competing`
attacks take their share of the processors, at a low priority. The two at full speed send what the generators of `run`
can send."""

import argparse
import json
import os
import secrets
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from .assent import Assent, build
from .benchmark import BENCHMARKS, PROGRAMS, Benchmark, say
from .bodies import check_params, decide_params, request, write_lines
from .client import Client
from .curve_gateway import CurveGateway
from .footprint import footprint
from .leftovers import Leftovers
from .libzmq import generator
from .loads import Measurement, run_load
from .packages import compile_c, install, python_environment
from .servers import Failure

ATTACKS = {
    "http": [
        "slowloris", "half-open connections", "giant headers", "giant bodies", "deep JSON", "floods of bad tokens",
        "bad tokens at full speed", "pipelining", "garbage", "unread answers", "batches of rpc.health"],
    "listed": [
        "wrong frames", "giant frames", "floods", "calls at full speed", "duplicate routing ids", "unread answers"],
    "unlisted": ["garbage handshakes", "wrong keys", "silence after the greeting", "half-open TCP"]}
FACES = {"http": "HTTP", "listed": "ZeroMQ, with a listed key", "unlisted": "ZeroMQ, without"}
LIMIT = 3.0
# What the gateway may have of its own during an attack: it is told to keep 64 MiB each of requests and of answers.
MEMORY_MIB = 192
WINDOW_SECONDS = 1.0
WINDOWS = 7
PAUSE_MICROS = 500
ACCOUNTS = 100
# In flight at full speed: over HTTP each has a connection.
HTTP_FLOOD, ZEROMQ_FLOOD = 64, 1000
FLOOD_HEAD_START = 0.3


@dataclass(frozen=True)
class Row:
    face: str
    attack: str
    # Medians of the windows.
    alone_p99_micros: float
    disturbed_p99_micros: float
    alone_p50_micros: float
    disturbed_p50_micros: float
    acts: int
    seen: dict[str, int]
    errors: int
    # Of the gateway: the most of its own memory that was seen during the attack.
    memory_mib: float

    @property
    def ratio(self) -> float:
        return self.disturbed_p99_micros / self.alone_p99_micros

    @property
    def is_within(self) -> bool:
        return self.ratio <= LIMIT and self.memory_mib <= MEMORY_MIB and not self.errors


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory(prefix="assent-hostile-", dir=options.directory) as folder:
        benchmark = Benchmark(Path(folder), seconds=0, only=options.only)
        try:
            rows = measure(benchmark, options.windows, options.competing)
        except Failure as failure:
            print(f"hostile: {failure}", file=sys.stderr)
            return 2
        except KeyboardInterrupt:
            print("hostile: interrupted", file=sys.stderr)
            return 130
    if options.json:
        options.json.write_text(json.dumps([{**asdict(row), "ratio": row.ratio} for row in rows], indent=1) + "\n")
    missed = [row for row in rows if not row.is_within]
    print(f"\n{len(rows) - len(missed)} of {len(rows)} within {LIMIT:g} times the undisturbed p99 and {MEMORY_MIB} MiB")
    return 1 if missed or benchmark.failures else 0


def measure(benchmark: Benchmark, windows: int, competing: bool) -> list[Row]:
    python = python_environment(benchmark.built / "clients-venv", BENCHMARKS / "clients/requirements.txt") / "python"
    install("libzmq3-dev", "wrk")
    good = compile_c(
        BENCHMARKS / "load/good.c", benchmark.built / "good", "zmq", BENCHMARKS / "load/latency.h")
    build()
    folder = benchmark.subfolder("assent")
    rows = []
    with Assent(folder) as assent:
        assent.wait()
        with CurveGateway(PROGRAMS, assent.bus, folder / "curve") as curve, Leftovers(competing) as leftovers:
            curve.wait()
            if leftovers.problem:
                say(f"attacks take processors from the server here: {leftovers.problem}")
            scene = Scene(benchmark, assent, curve, good, python, folder, leftovers)
            print(f"{'face':<28}{'attack':<28}{'alone µs':>10}{'disturbed µs':>14}{'ratio':>7}{'MiB':>6}  "
                  "what the attack got")
            for face, names in ATTACKS.items():
                for name in names:
                    if benchmark.wants([name]):
                        rows.append(scene.measure(face, name, windows))
            scene.look_for_growth(benchmark)
    return rows


class Scene:
    def __init__(
        self, benchmark: Benchmark, assent: Assent, curve: CurveGateway, good: Path, python: Path, folder: Path,
        leftovers: Leftovers
    ):
        self._good, self._python, self._leftovers = good, python, leftovers
        self._key = assent.make_key()
        client = Client(assent.http_port, self._key)
        policy = client.call("consent.catalog", {})["policyVersion"]
        accounts = [f"good-{number}" for number in range(ACCOUNTS)]
        client.call_all("consent.decide", [decide_params(each, policy, True) for each in accounts])
        self._bodies = write_lines(
            folder / "checks", [request("consent.check", check_params(each)) for each in accounts])
        keys = curve.client_keys("good")
        self._urls = {"http": (assent.url.removesuffix("/rpc"), {})}
        environment = {f"LOAD_{name.upper()}_KEY": key for name, key in keys.items()}
        self._urls["listed"] = self._urls["unlisted"] = (curve.endpoint, environment)
        signed = Client(assent.http_port, assent.credentials["adminKey"])
        device = signed.call(
            "session.startDevice",
            {"appKey": assent.credentials["publishableKey"], "platform": "ios", "appVersion": "2.4"})
        token = {"token": device["token"]}
        zeromq = {**token, "port": curve.port, "endpoint": curve.endpoint, "keys": curve.client_keys("hostile")}
        self._targets = {"http": {**token, "port": assent.http_port}, "listed": zeromq, "unlisted": zeromq}
        self._watched: dict[str, int] = {"gateway": assent.pids()["gateway"], "gateway (CURVE)": curve.pid}
        keys = {f"LOAD_{name.upper()}_KEY": key for name, key in curve.client_keys("hostile").items()}
        unknown = write_lines(folder / "unknown", [request("no.such", {})])
        reads = write_lines(folder / "reads", [request("account.get", {})])
        tokens = write_lines(folder / "tokens", [f"Bearer {secrets.token_hex(20)}" for _ in range(500)])
        seconds = str(WINDOW_SECONDS + FLOOD_HEAD_START + 1)
        self._floods = {
            "calls at full speed": (
                [str(generator(benchmark)), curve.endpoint, str(ZEROMQ_FLOOD), seconds, str(unknown)], keys),
            "bad tokens at full speed": (
                ["wrk", "-t1", f"-c{HTTP_FLOOD}", f"-d{float(seconds):.0f}s", "-s", str(BENCHMARKS / "load/calls.lua"),
                 assent.url, "--", str(reads), str(tokens)], {})}
        # The first calls are slower than any later one.
        for face in ("http", "listed"):
            self._call(face)
        self._held = {name: footprint(pid) for name, pid in self._watched.items()}

    def measure(self, face: str, name: str, windows: int) -> Row:
        alone, disturbed, acts, seen, held = [], [], 0, {}, 0
        pid = self._watched["gateway" if face == "http" else "gateway (CURVE)"]
        for _ in range(windows):
            alone.append(self._call(face))
            with self._attack(face, name) as attack:
                disturbed.append(self._call(face))
                held = max(held, footprint(pid).anonymous_kib)
                said = attack.stop()
            acts += said["acts"]
            for what, count in said["seen"].items():
                seen[what] = seen.get(what, 0) + count
        row = Row(
            face, name, median(alone, "p99_micros"), median(disturbed, "p99_micros"), median(alone, "p50_micros"),
            median(disturbed, "p50_micros"), acts, seen, sum(one.errors for one in alone + disturbed), held / 1024)
        got = ", ".join(f"{what} {count}" for what, count in sorted(seen.items()))
        print(f"{FACES[face]:<28}{name:<28}{row.alone_p99_micros:>10,.0f}{row.disturbed_p99_micros:>14,.0f}"
              f"{row.ratio:>7.2f}{row.memory_mib:>6.0f}  {acts} acts: {got}{'' if row.is_within else '   MISSED'}",
              flush=True)
        return row

    def _attack(self, face: str, name: str):
        if name in self._floods:
            return Flood(self._leftovers, *self._floods[name])
        return Attack(self._leftovers, self._python, face, name, self._targets[face])

    def _call(self, face: str) -> Measurement:
        url, environment = self._urls[face]
        return run_load(
            [str(self._good), url, str(PAUSE_MICROS), str(WINDOW_SECONDS), str(self._bodies), self._key,
             '"allowed":true'], WINDOW_SECONDS, environment)

    def look_for_growth(self, benchmark: Benchmark) -> None:
        print()
        for name, pid in self._watched.items():
            try:
                before, after = self._held[name], footprint(pid)
            except OSError:
                benchmark.fail(name, "it ended")
                continue
            print(f"{name}: {before.anonymous_kib / 1024:.1f} MiB of its own before, {after.anonymous_kib / 1024:.1f} "
                  f"after; {before.descriptors} descriptors before, {after.descriptors} after")


class Running:
    """A process that attacks, to the end of a `with`."""

    def __init__(self, leftovers: Leftovers, command: list[str], environment: dict[str, str] | None = None):
        self._process = subprocess.Popen(
            command, cwd=BENCHMARKS, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, **(environment or {})}, preexec_fn=leftovers.enter)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self._process.poll() is None:
            self._process.kill()
            self._process.communicate()

    def stop(self) -> dict:
        """Ends it.
        :return: how many `acts` there were, and what was `seen`."""
        said, _ = self._process.communicate(timeout=30)
        return json.loads(said.strip().splitlines()[-1])


class Attack(Running):
    """One of `clients/hostile.py`."""

    def __init__(self, leftovers: Leftovers, python: Path, face: str, name: str, target: dict):
        super().__init__(leftovers, [str(python), "-m", "clients.hostile", face, name, json.dumps(target)])

    def __enter__(self):
        if self._process.stdout.readline().strip() != "attacking":
            raise Failure(f"an attack did not begin: {self._process.communicate()[1][-500:]}")
        return self

    def stop(self) -> dict:
        self._process.send_signal(signal.SIGTERM)
        return super().stop()


class Flood(Running):
    """A load generator."""

    def __enter__(self):
        time.sleep(FLOOD_HEAD_START)
        return self

    def stop(self) -> dict:
        calls = super().stop()["calls"]
        return {"acts": calls, "seen": {}}


def median(windows: list[Measurement], figure: str) -> float:
    return statistics.median(getattr(window, figure) for window in windows)


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="Benchmarks/hostile",
        description="Measures a good client's p99 beside hostile clients of each kind, over HTTP and ZeroMQ. Ends with 1 "
        f"if it is more than {LIMIT:g} times as long as without them, a good call failed, or the gateway took more than "
        f"{MEMORY_MIB} MiB.")
    parser.add_argument("--windows", type=int, default=WINDOWS, help=f"pairs of windows a kind (default {WINDOWS})")
    parser.add_argument(
        "--only", metavar="NAME", action="append", default=[], help="only attacks whose names begin so; can be repeated")
    parser.add_argument(
        "--competing", action="store_true", help="let attacks compete for processors, at a low priority")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the rows to FILE")
    parser.add_argument(
        "--directory", metavar="DIR", default="/var/tmp", help="where the run keeps its files (default /var/tmp)")
    return parser.parse_args(arguments)
