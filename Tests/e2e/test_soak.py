# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""What the soak's verdict rests on: which series of samples count as growth."""

import random

import pytest
from harness.slope import grows

HOUR = 3600.0
# Every two seconds for ten minutes, in KiB.
TIMES = [float(second) for second in range(0, 600, 2)]
LIMIT = 8_192


def step(at):
    return 4_000.0 if at > 300 else 0.0


@pytest.mark.parametrize(
    "name, value, is_growth",
    [
        ("flat", lambda at: 40_000.0, False),
        ("flat with noise", lambda at: 40_000 + random.Random(at).uniform(-800, 800), False),
        ("a leak of 20 MiB an hour", lambda at: 40_000 + 20_480 * at / HOUR, True),
        ("the same in noise", lambda at: 40_000 + 20_480 * at / HOUR + random.Random(at).uniform(-800, 800), True),
        ("4 MiB an hour", lambda at: 40_000 + 4_096 * at / HOUR, False),
        ("a fall", lambda at: 40_000 - 20_480 * at / HOUR, False),
        ("one step up", lambda at: 40_000 + step(at), False),
        ("a spike that is given back", lambda at: 40_000 + (30_000.0 if at == 300 else 0.0), False),
    ])
def test_growth_is_told_from_noise(name, value, is_growth):
    assert grows([(at, value(at)) for at in TIMES], LIMIT) is is_growth, name


@pytest.mark.parametrize("samples", [[], [(0.0, 1.0)], [(0.0, 1.0), (2.0, 9.0)], [(1.0, 1.0), (1.0, 9.0), (1.0, 3.0)]])
def test_too_few_samples_say_nothing(samples):
    assert not grows(samples, 0)
