# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Whether a quantity grows: a straight line through its samples by least squares."""

from dataclasses import dataclass
from math import sqrt

# Standard errors of the slope that it may be off by: two-sided 95 %.
CONFIDENCE = 1.96


@dataclass(frozen=True)
class Slope:
    # Units an hour.
    per_hour: float
    # Likewise: how far it may be off.
    margin: float


def grows(samples: list[tuple[float, float]], limit: float) -> bool:
    """Whether it certainly grows by more than `limit` an hour, and goes on doing so: a heap that was left in pieces by a
    busy moment is larger from then on, once."""
    whole = slope(samples)
    halves = samples[:len(samples) // 2], samples[len(samples) // 2:]
    return whole.per_hour - whole.margin > limit and all(slope(half).per_hour > limit / 2 for half in halves)


def slope(samples: list[tuple[float, float]]) -> Slope:
    """- Parameter samples: seconds and values. Those of a memory are no independent draws, as it stays where it was: so
    at most thirty are taken, each the mean of as many neighbours."""
    points = means(samples, 30)
    count = len(points)
    if count < 3:
        return Slope(0, 0)
    mean_x = sum(x for x, _ in points) / count
    mean_y = sum(y for _, y in points) / count
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    if spread == 0:
        return Slope(0, 0)
    rise = sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
    residue = sum((y - mean_y - rise * (x - mean_x)) ** 2 for x, y in points)
    error = sqrt(residue / (count - 2) / spread)
    return Slope(rise * 3600, CONFIDENCE * error * 3600)


def means(samples: list[tuple[float, float]], most: int) -> list[tuple[float, float]]:
    size = max(1, len(samples) // most)
    groups = [samples[start:start + size] for start in range(0, len(samples) - size + 1, size)]
    return [(sum(x for x, _ in group) / size, sum(y for _, y in group) / size) for group in groups]
