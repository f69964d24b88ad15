# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""What a process holds: memory, descriptors and threads, from /proc."""

import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Footprint:
    # Resident, with everything that is shared with others.
    rss_kib: int
    # Its share: what is shared counts in parts.
    pss_kib: int
    # Its own heap and stacks, without pages of files: what a leak grows.
    anonymous_kib: int
    descriptors: int
    threads: int


def footprint(pid: int) -> Footprint:
    """- Raises: `OSError` when the process has gone."""
    folder = Path(f"/proc/{pid}")
    memory = fields(folder / "smaps_rollup")
    return Footprint(
        memory["Rss"], memory["Pss"], memory["Anonymous"], len(os.listdir(folder / "fd")),
        len(os.listdir(folder / "task")))


def fields(path: Path) -> dict[str, int]:
    """The numbers of a file of `Name:  number kB` lines, by name."""
    found = {}
    for line in path.read_text().splitlines():
        words = line.split()
        if len(words) == 3 and words[0].endswith(":"):
            found[words[0][:-1]] = int(words[1])
    return found
