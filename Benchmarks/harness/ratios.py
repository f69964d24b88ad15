# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""What Assent must reach, as ratios within one run."""

from .rows import Row

# The row that is judged, at how many in flight, the row it is measured against, by which figure, and the limit.
GOALS = [
    ("bus-echo", 64, "grpc-cpp", 64, "perSecond", "at least", 3.0),
    ("bus-echo/curve", 64, "grpc-cpp", 64, "perSecond", "at least", 1.5),
    ("bus-echo", 64, "nats", 64, "perSecond", "at least", 3.0),
    ("bus-echo", 64, "raw-libzmq", 64, "perSecond", "at least", 0.45),
    ("bus-echo", 1, "raw-libzmq", 1, "p50Micros", "at most", 1.25),
    ("consent.check/http", 64, "grpc-cpp", 64, "perSecond", "at least", 0.8),
    ("consent.check/http", 64, "fastapi.check/sqlite", 64, "perSecond", "at least", 6.0),
    ("consent.decide/http", 64, "sqlite-insert", 1, "perSecond", "at least", 1.5),
    ("consent.decide/http", 64, "fastapi.decide/sqlite", 64, "perSecond", "at least", 5.0),
    ("consent.decide/http/postgres", 64, "pgbench", 64, "perSecond", "at least", 1.0),
    ("consent.decide/http/postgres", 64, "fastapi.decide/postgres", 64, "perSecond", "at least", 3.0),
    ("settings.load/http", 1, "consent.check/http", 1, "p50Micros", "at most", 3.0),
]

FIGURES = {"perSecond": "calls/s", "p50Micros": "p50"}


def ratios(rows: list[Row]) -> list[str]:
    """A line for each goal whose rows were both measured."""
    measured = {(row.name, row.inFlight): row for row in rows}
    lines = []
    for name, in_flight, base_name, base_in_flight, figure, direction, limit in GOALS:
        row, base = measured.get((name, in_flight)), measured.get((base_name, base_in_flight))
        if not row or not base or not getattr(base, figure):
            continue
        ratio = getattr(row, figure) / getattr(base, figure)
        is_reached = ratio >= limit if direction == "at least" else ratio <= limit
        what = f"{name} / {base_name}, {FIGURES[figure]} at {in_flight} in flight"
        lines.append(f"{what:<68}{ratio:7.2f}  {direction} {limit:g}: {'reached' if is_reached else 'MISSED'}")
    return lines
