# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""A reply leaves after its data is on the disk, seen from outside the process by strace."""

import pathlib
import re
import shutil
import signal
import subprocess
import threading

import pytest

from conftest import eventually

WRITES = {
    "account-service": ("account.rename", {"name": "Grace Hopper"}),
    "consent-service": ("consent.denyAll", {}),
    "notification-prefs-service": ("notifications.update", {"digest": "daily"}),
    "permission-service": (
        "permission.report",
        {"platform": "ios", "permissions": [{"kind": "camera", "status": "authorized"}]},
    ),
}

LINE = re.compile(r"^(?P<thread>\d+)\s+(?P<rest>.*)$")


def tracers(pid):
    """Who traces each thread of a process; 0 is nobody."""
    for status in pathlib.Path(f"/proc/{pid}/task").glob("*/status"):
        yield int(re.search(r"^TracerPid:\s+(\d+)", status.read_text(), re.MULTILINE)[1])


class Trace:
    """The system calls of one process that write, synchronize or send, in the order in which they were made."""

    def __init__(self, pid, path):
        self.path = path
        self.process = subprocess.Popen(
            ["strace", "-f", "-y", "-s", "131072", "-e", "trace=pwrite64,fsync,fdatasync,sendto,sendmsg,write,writev"]
            + ["-o", str(path), "-p", str(pid)],
            stderr=subprocess.PIPE,
            text=True,
        )
        self.said = []
        threading.Thread(target=lambda: self.said.extend(self.process.stderr), daemon=True).start()
        eventually(lambda: self.said or self.process.poll() is not None, timeout=20)
        if "attached" not in "".join(self.said):
            self.process.wait()
            pytest.skip(f"strace may not look at processes here: {''.join(self.said).strip()}")
        eventually(lambda: all(tracer == self.process.pid for tracer in tracers(pid)), timeout=20)

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(20)
        return self.path.read_text(errors="replace").splitlines()


def events(lines):
    """(call, text, begins, ends) of each call, by the numbers of the lines where it begins and ends."""
    pending = {}
    for number, line in enumerate(lines):
        matched = LINE.match(line)
        if not matched:
            continue
        thread, rest = matched["thread"], matched["rest"]
        resumed = re.match(r"<\.\.\. (\w+) resumed>", rest)
        if resumed:
            if thread in pending:
                text, begins = pending.pop(thread)
                yield resumed[1], text, begins, number
        elif rest.endswith("<unfinished ...>"):
            pending[thread] = (rest, number)
        elif "(" in rest:
            yield rest.split("(", 1)[0], rest, number, number


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("service", WRITES)
def test_the_log_is_synchronized_before_the_reply_is_sent(system, tmp_path, service):
    method, params = WRITES[service]
    person, _ = system.person()
    trace = Trace(system.pid(service), tmp_path / "trace")
    try:
        entry = person.call(method, params)["entryId"]
    finally:
        lines = trace.stop()
    calls = list(events(lines))
    log = f"{service}.db-wal>"
    written = [ends for call, text, _, ends in calls if call == "pwrite64" and log in text and entry in text]
    sent = [
        begins
        for call, text, begins, _ in calls
        if call in ("sendto", "sendmsg", "write", "writev") and ".db" not in text and entry in text
    ]
    assert written and sent, f"{len(calls)} calls: {len(written)} write the entry, {len(sent)} send it"
    synchronized = [
        (begins, ends)
        for call, text, begins, ends in calls
        if call in ("fsync", "fdatasync") and log in text and begins > written[0]
    ]
    assert synchronized, "the log was never synchronized"
    assert synchronized[0][1] < min(sent), "the reply, or the event, left before the log was on the disk"
