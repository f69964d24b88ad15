# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""How Benchmarks/run comes to its rows: by turns, of which the middle one counts."""

import pytest
from harness.benchmark import TURNS, Benchmark
from harness.loads import Measurement
from harness.ratios import ratios
from harness.rows import Row
from harness.servers import Failure


class Idle:
    """A server that has used so much of a processor, more each time it is asked."""

    def __init__(self):
        self.used = 0.0

    def cpu_seconds(self):
        self.used += 0.5
        return self.used

    def peak_mib(self):
        return 7.0


class Course:
    """A load that notes when it runs and is told what it measures, warm-up first."""

    def __init__(self, order, name, *rates, errors=0):
        self.order, self.name, self.errors = order, name, errors
        self.rates = iter(rates)

    def __call__(self, in_flight, seconds):
        self.order.append((self.name, in_flight, seconds))
        rate = next(self.rates)
        if rate is None:
            raise Failure("it ended")
        return Measurement(rate * 2, 2.0, 1000 / rate, 5000 / rate, self.errors, 0.25, 3.0)


@pytest.fixture
def benchmark(tmp_path):
    return Benchmark(tmp_path, seconds=2, only=[])


def test_rows_take_turns_and_show_the_medians(benchmark):
    order = []
    benchmark.row("one", Idle(), Course(order, "one", 1, 100, 400, 200), in_flight=[64])
    benchmark.row("two", None, Course(order, "two", 1, 50, 10, 20), in_flight=[1])
    benchmark.measure()
    turns = [("one", 64), ("two", 1)]
    assert order == [(*turn, 1) for turn in turns] + [(*turn, 2) for turn in turns] * TURNS
    one, two = benchmark.rows
    assert (one.perSecond, one.p50Micros, one.p99Micros, one.peakMiB) == (200, 5, 25, 7)
    assert one.cpuMicrosPerCall == pytest.approx(0.5e6 / 400)
    # A load without a server says what it took itself.
    assert (two.perSecond, two.peakMiB, two.cpuMicrosPerCall) == (20, 3, pytest.approx(0.25e6 / 40))
    assert not benchmark.failures


def test_rows_that_are_not_wanted_are_not_measured(tmp_path):
    benchmark, order = Benchmark(tmp_path, seconds=2, only=["two"]), []
    benchmark.row("one", None, Course(order, "one"))
    benchmark.row("two/http", None, Course(order, "two", *[1] * (TURNS + 1)), in_flight=[1])
    benchmark.measure()
    assert [row.name for row in benchmark.rows] == ["two/http"]


def test_a_row_that_fails_is_said_and_leaves_the_others(benchmark):
    order = []
    benchmark.row("bad", None, Course(order, "bad", 1, None), in_flight=[1])
    benchmark.row("wrong", None, Course(order, "wrong", 1, 1, 1, 1, errors=1), in_flight=[1])
    benchmark.row("good", None, Course(order, "good", 1, 1, 1, 1), in_flight=[1])
    benchmark.measure()
    assert [row.name for row in benchmark.rows] == ["wrong", "good"]
    assert benchmark.failures == ["bad, 1 in flight: it ended", f"wrong, 1 in flight: {TURNS + 1} calls failed"]


@pytest.mark.parametrize("name, in_flight, figures, base, base_in_flight, base_figures, said", [
    ("bus-echo", 64, (300, 1), "grpc-cpp", 64, (100, 1), "3.00  at least 3: reached"),
    ("bus-echo", 64, (299, 1), "grpc-cpp", 64, (100, 1), "2.99  at least 3: MISSED"),
    ("bus-echo", 1, (1, 125), "raw-libzmq", 1, (1, 100), "1.25  at most 1.25: reached"),
    ("bus-echo", 1, (1, 126), "raw-libzmq", 1, (1, 100), "1.26  at most 1.25: MISSED"),
    ("consent.decide/http", 64, (15, 1), "sqlite-insert", 1, (10, 1), "1.50  at least 1.5: reached"),
])
def test_ratios(name, in_flight, figures, base, base_in_flight, base_figures, said):
    rows = [
        Row(name, in_flight, figures[0], figures[1], 1, 1, 1),
        Row(base, base_in_flight, base_figures[0], base_figures[1], 1, 1, 1)]
    [line] = ratios(rows)
    assert line.startswith(f"{name} / {base}, ") and line.endswith(said)
