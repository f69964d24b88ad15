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
        self.folder = folder
        self._as_user: list[str] = []
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(folder, user.pw_uid, user.pw_gid)
            self._as_user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        if not versions:
            raise Failure("no PostgreSQL server under /usr/lib/postgresql")
        self.programs = versions[-1]
        check(
            [*self._as_user, str(self.programs / "initdb"), "-D", str(folder / "data"), "-U", "postgres", "-A",
             "trust", "--encoding=UTF8", "--locale=C"], cwd=folder)

    @property
    def dsn(self) -> str:
        return f"postgresql://postgres@/postgres?host={self.folder}"

    def copy_tables(self, schema: str, database: str) -> None:
        """Makes a database with the tables of a schema, empty."""
        self._psql("postgres", f"CREATE DATABASE {database}")
        tables = check(
            [*self._as_user, str(self.programs / "pg_dump"), "-h", str(self.folder), "-U", "postgres", "-s", "-n", schema,
             "postgres"], cwd=self.folder)
        self._psql(database, tables)

    def empty(self, database: str, schema: str) -> None:
        """Empties the tables of a schema."""
        self._psql(
            database, f"""
            DO $$ DECLARE name text; BEGIN
              FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = '{schema}' LOOP
                EXECUTE format('TRUNCATE %I.%I', '{schema}', name);
              END LOOP;
            END $$;
            VACUUM ANALYZE""")

    def _psql(self, database: str, sql: str) -> None:
        check(
            [str(self.programs / "psql"), "-q", "-v", "ON_ERROR_STOP=1", "-h", str(self.folder), "-U", "postgres", "-d",
             database, "-f", "-"], cwd=self.folder, input=sql)

    def start(self) -> Server:
        settings = [
            "listen_addresses=", f"unix_socket_directories={self.folder}",
            "max_wal_size=2GB", "fsync=on", "synchronous_commit=on"]
        server = Server(
            [*self._as_user, str(self.programs / "postgres"), "-D", str(self.folder / "data"),
             *(part for setting in settings for part in ("-c", setting))],
            self.folder.parent / "postgres.log", stop_signal=signal.SIGINT, cwd=self.folder)
        server.wait_until(lambda: "ready to accept connections" in server.log_text())
        return server
