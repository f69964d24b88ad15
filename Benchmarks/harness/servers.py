# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Processes that are measured: started, watched through /proc, and stopped by their own ids."""

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


class Failure(Exception):
    """A suite cannot be measured."""


class Server:
    """A started program with its descendants. Stops at the end of a `with`."""

    def __init__(self, command: list[str], log: Path, stop_signal: int = signal.SIGTERM, **options):
        self._log = log
        self._stop_signal = stop_signal
        with log.open("ab") as output:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True, **options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def wait_until(self, is_ready: Callable[[], bool], seconds: float = 30) -> None:
        end = time.monotonic() + seconds
        while not is_ready():
            if self._process.poll() is not None:
                raise Failure(f"the server ended with status {self._process.returncode}: {self.last_words()}")
            if time.monotonic() > end:
                raise Failure(f"the server is not ready after {seconds:.0f} s: {self.last_words()}")
            time.sleep(0.02)

    def wait_for_port(self, port: int) -> None:
        self.wait_until(lambda: is_listening(port))

    def log_text(self) -> str:
        return self._log.read_text(errors="replace")

    def last_words(self) -> str:
        return " | ".join(self.log_text().strip().splitlines()[-3:])

    def process_ids(self) -> list[int]:
        return descendants(self._process.pid)

    def cpu_seconds(self) -> float:
        """User and system time of all its processes."""
        return sum(cpu_ticks(pid) for pid in self.process_ids()) / TICKS_PER_SECOND

    def peak_mib(self) -> float:
        """The sum of the processes' own peaks of resident memory; what they share counts for each."""
        return sum(peak_kib(pid) for pid in self.process_ids()) / 1024

    def stop(self) -> None:
        if self._process.poll() is not None:
            return
        self._process.send_signal(self._stop_signal)
        try:
            self._process.wait(timeout=20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


class Together:
    """Several servers measured as one, such as a program and its database."""

    def __init__(self, *servers: Server):
        self._servers = servers

    def cpu_seconds(self) -> float:
        return sum(server.cpu_seconds() for server in self._servers)

    def peak_mib(self) -> float:
        return sum(server.peak_mib() for server in self._servers)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def stat_fields(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the third on; empty when the process has gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit() and (fields := stat_fields(int(entry))):
            children.setdefault(int(fields[1]), []).append(int(entry))
    found = [root]
    for pid in found:
        found += children.get(pid, [])
    return found


def cpu_ticks(pid: int) -> int:
    # utime, stime, and those of children that have been waited for.
    return sum(int(field) for field in stat_fields(pid)[11:15])


def peak_kib(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0
