# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Assent for a long time under a steady mixed load: whether what its processes hold stays flat.

What is judged: the processes' own memory (anonymous pages: heap and stacks), descriptors and threads, after a warm-up.
What is not: resident size as a whole, which counts pages of files; the stores, which keep what is written; and the page
cache of a store, up to 32 MiB for each service, which grows with it until it is full. So the stores are filled beyond
that before anything is measured, and where the time was too short for it what a store grows by until then is taken off."""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .assent import Assent, build
from .benchmark import BENCHMARKS, PROGRAMS, Benchmark, say
from .bodies import alternating, request, write_lines
from .client import Client
from .curve_gateway import CurveGateway
from .footprint import Footprint, footprint
from .libzmq import generator
from .loads import wrk_load, zmq_load
from .packages import install, python_environment
from .servers import Failure
from .slope import grows, slope

SAMPLE_SECONDS = 2
PEOPLE = 8
# A page cache, and some more.
FILLED_MIB = 40
FILL_SECONDS = 150
FILL_ROUND_SECONDS = 5
FILLERS = 200
# Growth an hour that counts as none: KiB for each process (credentials that are remembered up to a bound, sessions that
# ended until their tokens do), descriptors, threads.
LIMITS = {"anonymous_kib": 8 * 1024, "descriptors": 12, "threads": 6}
UNITS = {"anonymous_kib": "KiB", "descriptors": "descriptors", "threads": "threads"}


@dataclass
class Series:
    """The samples of one process."""

    samples: list[tuple[float, Footprint]] = field(default_factory=list)

    # Of its store, at the same times, as far as its page cache may hold it; none for a gateway.
    cacheable_kib: list[float] = field(default_factory=list)

    def values(self, quantity: str, after: float) -> list[tuple[float, float]]:
        cached = self.cacheable_kib if quantity == "anonymous_kib" and self.cacheable_kib else [0.0] * len(self.samples)
        return [
            (at, getattr(one, quantity) - kib) for (at, one), kib in zip(self.samples, cached, strict=True) if at >= after]


def main(arguments: list[str]) -> int:
    options = parse(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    seconds = options.minutes * 60
    with tempfile.TemporaryDirectory(prefix="assent-soak-", dir=options.directory) as folder:
        benchmark = Benchmark(Path(folder), seconds=seconds, only=[])
        try:
            return Soak(benchmark, seconds).run(options.json)
        except Failure as failure:
            print(f"soak: {failure}", file=sys.stderr)
            return 2
        except KeyboardInterrupt:
            print("soak: interrupted", file=sys.stderr)
            return 130


class Soak:
    def __init__(self, benchmark: Benchmark, seconds: float):
        self._benchmark = benchmark
        self._seconds = seconds
        # The first quarter, from a minute and a half, in which small tables fill, to five.
        self._warm_up = min(max(seconds / 4, 90), seconds / 2, 300)
        self._series: dict[str, Series] = {}
        self._stores: list[tuple[float, dict[str, int]]] = []

    def run(self, json_path: Path | None) -> int:
        python = python_environment(self._benchmark.built / "clients-venv", BENCHMARKS / "clients/requirements.txt")
        install("wrk")
        build()
        folder = self._benchmark.subfolder("assent")
        with Assent(folder) as assent:
            assent.wait()
            with CurveGateway(PROGRAMS, assent.bus, folder / "curve") as curve:
                curve.wait()
                key = assent.make_key()
                policy = Client(assent.http_port, key).call("consent.catalog", {})["policyVersion"]
                fill(self._benchmark, assent, key, policy, folder)
                outcome = self._soak(python / "python", assent, curve, key, policy)
                pids = assent.pids()
        failures = self._judge(outcome, pids)
        if json_path:
            write_json(json_path, self._seconds, self._series, self._stores, outcome, failures)
        return 1 if failures else 0

    def _soak(self, python: Path, assent: Assent, curve: CurveGateway, key: str, policy: int) -> dict:
        target = {
            "httpPort": assent.http_port, "zmqEndpoint": assent.endpoint,
            "ipcEndpoint": f"ipc://{assent.bus}/consent-service.sock", "curveEndpoint": curve.endpoint,
            "curveKeys": curve.client_keys(), "adminKey": assent.credentials["adminKey"],
            "publishableKey": assent.credentials["publishableKey"], "serviceKey": key, "policyVersion": policy,
            "people": PEOPLE, "seconds": self._seconds}
        load = subprocess.Popen(
            [str(python), "-m", "clients.mixed", json.dumps(target)], cwd=BENCHMARKS, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, text=True)
        try:
            self._watch(load, {**assent.pids(), "gateway (CURVE)": curve.pid}, assent)
            said, _ = load.communicate(timeout=120)
        finally:
            if load.poll() is None:
                load.kill()
                load.wait()
        if load.returncode != 0:
            raise Failure("the load ended with an error")
        return json.loads(said)

    def _watch(self, load: subprocess.Popen, pids: dict[str, int], assent: Assent) -> None:
        self._series = {name: Series() for name in pids}
        began = time.monotonic()
        said_at = -60.0
        while (at := time.monotonic() - began) < self._seconds and load.poll() is None:
            sizes = assent.store_bytes()
            self._stores.append((at, sizes))
            try:
                for name, pid in pids.items():
                    self._series[name].samples.append((at, footprint(pid)))
                    if name in sizes:
                        self._series[name].cacheable_kib.append(min(sizes[name], FILLED_MIB << 20) / 1024)
            except OSError as gone:
                raise Failure(f"{name} ended") from gone
            if at - said_at >= 60:
                said_at = at
                say(self._line(at))
            time.sleep(SAMPLE_SECONDS)

    def _line(self, at: float) -> str:
        latest = {name: series.samples[-1][1] for name, series in self._series.items()}
        memory = sum(one.anonymous_kib for one in latest.values()) / 1024
        descriptors = sum(one.descriptors for one in latest.values())
        stores = sum(self._stores[-1][1].values()) / 2**20
        return f"{at / 60:.0f} min: {memory:.1f} MiB, {descriptors} descriptors, stores {stores:.0f} MiB"

    def _judge(self, outcome: dict, pids: dict[str, int]) -> list[str]:
        """Prints the table and what is wrong."""
        failures = []
        print(f"{'process':<28}{'RSS MiB':>9}{'PSS MiB':>9}{'own MiB':>16}{'an hour':>19}"
              f"{'descriptors':>14}{'an hour':>16}{'threads':>9}{'an hour':>14}")
        for name, series in self._series.items():
            measured = [one for at, one in series.samples if at >= self._warm_up]
            if not measured:
                return ["too short to measure"]
            first, last = measured[0], measured[-1]
            values = {quantity: series.values(quantity, self._warm_up) for quantity in LIMITS}
            slopes = {quantity: slope(values[quantity]) for quantity in LIMITS}
            memory = slopes["anonymous_kib"]
            print(f"{name:<28}{last.rss_kib / 1024:>9.1f}{last.pss_kib / 1024:>9.1f}"
                  f"{first.anonymous_kib / 1024:>8.1f}{last.anonymous_kib / 1024:>8.1f}"
                  f"{memory.per_hour / 1024:>+10.1f} ±{memory.margin / 1024:>6.1f}"
                  f"{first.descriptors:>7}{last.descriptors:>7}"
                  f"{slopes['descriptors'].per_hour:>+9.1f} ±{slopes['descriptors'].margin:>5.1f}"
                  f"{last.threads:>9}{slopes['threads'].per_hour:>+8.1f} ±{slopes['threads'].margin:>4.1f}")
            for quantity, limit in LIMITS.items():
                if grows(values[quantity], limit):
                    failures.append(
                        f"{name} grows by {slopes[quantity].per_hour:,.0f} {UNITS[quantity]} an hour; {limit:,} are allowed")
        print(f"\n{'store':<28}{'MiB at first':>14}{'and last':>10}")
        for name, size in self._stores[-1][1].items():
            print(f"{name:<28}{self._stores[0][1].get(name, 0) / 2**20:>14.1f}{size / 2**20:>10.1f}")
        print(f"\n{'calls':<36}{'':>8}")
        for name, count in sorted(outcome["calls"].items()):
            print(f"{name:<36}{count:>8,}")
        for name, count in outcome["failures"].items():
            failures.append(f"{name}: {count} failed, the first: {outcome['firstFailures'][name]}")
        print("\n" + ("\n".join(failures) if failures else f"flat over {self._seconds / 60:g} min"))
        return failures


def fill(benchmark: Benchmark, assent: Assent, key: str, policy: int, folder: Path) -> None:
    """Writes to every service until its page cache is full, or the time for it is over."""
    say("filling the stores")
    client = Client(assent.http_port, assent.credentials["adminKey"])
    accounts = [f"filler-{number}" for number in range(FILLERS)]
    client.call_all("account.create", [
        {"accountId": each, "name": "Maya", "email": f"{each}@example.com"} for each in accounts])
    tokens = [grant["token"] for grant in client.call_all("session.start", [
        {"accountId": each, "authenticatedAt": time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime())}
        for each in accounts])]
    written = [request("consent.decide", params) for params in alternating(accounts, policy)]
    for digest, name in (("daily", "Ada"), ("off", "Maya")):
        written += [request("notifications.update", {"accountId": each, "digest": digest}) for each in accounts]
        written += [request("account.rename", {"accountId": each, "name": name}) for each in accounts]
    bodies = write_lines(folder / "writes", written)
    reports = write_lines(folder / "reports", [
        request("permission.report", {"platform": "ios", "permissions": [{"kind": "camera", "status": status}]})
        for status in ("authorized", "denied") for _ in tokens])
    authorizations = write_lines(folder / "tokens", [f"Bearer {token}" for token in tokens])
    metadata = json.dumps({"authorization": f"Bearer {key}"})
    end = time.monotonic() + FILL_SECONDS
    while time.monotonic() < end and any(
            size < FILLED_MIB << 20 for name, size in assent.store_bytes().items() if not name.endswith("log")):
        zmq_load(generator(benchmark), assent.endpoint, 64, FILL_ROUND_SECONDS, bodies, metadata)
        wrk_load(BENCHMARKS / "load/calls.lua", assent.url, 32, FILL_ROUND_SECONDS, reports, authorizations)
    sizes = ", ".join(
        f"{name} {size / 2**20:.0f}" for name, size in assent.store_bytes().items() if not name.endswith("log"))
    say(f"stores in MiB: {sizes}")


def write_json(path: Path, seconds: float, series: dict, stores: list, outcome: dict, failures: list[str]) -> None:
    path.write_text(json.dumps({
        "seconds": seconds, "failures": failures, "load": outcome,
        "processes": {
            name: [{"at": round(at, 1), **asdict(one)} for at, one in each.samples] for name, each in series.items()},
        "stores": [{"at": round(at, 1), **sizes} for at, sizes in stores]}, indent=1) + "\n")


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="Benchmarks/soak",
        description="Runs Assent under a steady mixed load and tells whether its processes' memory, descriptors and "
        "threads stay flat. Ends with 1 if they grow or calls failed.")
    parser.add_argument("minutes", type=float, help="how long the load lasts; a quarter of it is warm-up")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write all samples to FILE")
    parser.add_argument(
        "--directory", metavar="DIR", default="/var/tmp", help="where the run keeps its files (default /var/tmp)")
    return parser.parse_args(arguments)
