# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL cluster of the run's own: Debian's server, durable, on a socket in the run's folder, not as root."""

import os
import pwd
import signal
from pathlib import Path

from .packages import check, install
from .servers import Failure, Server


class Postgres:
    def __init__(self, folder: Path):
        install("postgresql")
        self._folder = folder
        self._as_user: list[str] = []
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(folder, user.pw_uid, user.pw_gid)
            self._as_user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        if not versions:
            raise Failure("no PostgreSQL server under /usr/lib/postgresql")
        self._programs = versions[-1]
        check(
            [*self._as_user, str(self._programs / "initdb"), "-D", str(folder / "data"), "-U", "postgres", "-A",
             "trust", "--encoding=UTF8", "--locale=C"], cwd=folder)

    @property
    def dsn(self) -> str:
        return f"postgresql://postgres@/postgres?host={self._folder}"

    def start(self) -> Server:
        settings = [
            "listen_addresses=", f"unix_socket_directories={self._folder}",
            "max_wal_size=2GB", "fsync=on", "synchronous_commit=on"]
        server = Server(
            [*self._as_user, str(self._programs / "postgres"), "-D", str(self._folder / "data"),
             *(part for setting in settings for part in ("-c", setting))],
            self._folder.parent / "postgres.log", stop_signal=signal.SIGINT, cwd=self._folder)
        server.wait_until(lambda: "ready to accept connections" in server.log_text())
        return server
