# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Where processes run that must take no processor from those that are measured."""

import os
import time
from pathlib import Path

LOWEST_PRIORITY = 19
LEAVE_SECONDS = 5


class Leftovers:
    """A control group of the system whose processes run while no other wants their processor.

    A low priority alone does not do that. The kernel lets whoever runs finish a slice before it looks at priorities: a
    thread that wakes where a nice one computes waits for the next tick of the clock, 4 ms with 250 of them a second,
    though another processor is idle. And where the system groups processes by session (sched_autogroup) it
    weighs priorities only within one. Members of an idle group are interrupted at once by whoever is in none.

    Source: Linux's Documentation/admin-guide/cgroup-v2.rst, cpu.idle; sched(7), the autogroup feature."""

    def __init__(self, competing: bool = False):
        """- Parameter competing: processes get a low priority, and that is all."""
        self._competing = competing
        self._group: Path | None = None
        # Why there is no such group, if there should be.
        self.problem = ""

    def __enter__(self):
        group = None
        if self._competing:
            return self
        try:
            group = processor_groups() / f"assent-leftovers-{os.getpid()}"
            group.mkdir()
            (group / "cpu.idle").write_text("1")
            self._group = group
        except OSError as error:
            self.problem = f"no idle control group can be made ({error.strerror}); as root it can"
            if group and group.is_dir():
                group.rmdir()
        return self

    def __exit__(self, *_):
        if not self._group:
            return
        # Processes that have ended leave it a moment later.
        end = time.monotonic() + LEAVE_SECONDS
        while True:
            try:
                return self._group.rmdir()
            except OSError:
                if time.monotonic() > end:
                    return
            time.sleep(0.01)

    def enter(self) -> None:
        """In a process that is about to start."""
        os.setpriority(os.PRIO_PROCESS, 0, LOWEST_PRIORITY)
        if self._group:
            (self._group / "cgroup.procs").write_text("0")


def processor_groups() -> Path:
    """The folder of the control groups that share out processors.
    :raises OSError: there is none."""
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, folder, kind, options = line.split()[:4]
        if kind == "cgroup" and "cpu" in options.split(","):
            return Path(folder)
        if kind == "cgroup2" and "cpu" in (Path(folder) / "cgroup.subtree_control").read_text().split():
            return Path(folder)
    raise FileNotFoundError(2, "the cpu controller is not mounted")
