# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Where Benchmarks/hostile runs its attacks: in an idle control group, or at a low priority only."""

import subprocess
from pathlib import Path

import pytest
from harness.leftovers import LOWEST_PRIORITY, Leftovers, processor_groups


def start(leftovers):
    return subprocess.Popen(
        ["cat"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, preexec_fn=leftovers.enter)


def priority(process):
    stat = Path(f"/proc/{process.pid}/stat").read_text()
    return int(stat[stat.rindex(")") + 2:].split()[16])


def groups_of(process):
    """The control groups it is in, without the folders that they are mounted in."""
    return {line.split(":", 2)[2] for line in Path(f"/proc/{process.pid}/cgroup").read_text().splitlines()}


def test_attacks_are_in_an_idle_group_that_goes_with_them():
    with Leftovers() as leftovers:
        if leftovers.problem:
            pytest.skip(leftovers.problem)
        with start(leftovers) as process:
            made = [group for group in groups_of(process) if "assent-leftovers" in group]
            assert len(made) == 1
            folder = processor_groups() / made[0].lstrip("/")
            assert (folder / "cpu.idle").read_text().strip() == "1"
            assert priority(process) == LOWEST_PRIORITY
    assert not folder.exists()


def test_competing_attacks_have_a_low_priority_and_no_group():
    with Leftovers(competing=True) as leftovers:
        with start(leftovers) as process:
            assert not any("assent-leftovers" in group for group in groups_of(process))
            assert priority(process) == LOWEST_PRIORITY
