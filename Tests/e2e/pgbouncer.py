# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""A pooler before a PostgreSQL server of the test run's own: Debian's pgbouncer, which gives each transaction a session."""

import os
import pwd
import shutil
import subprocess
import tempfile
import pathlib
import time


class PgBouncer:
    def __init__(self, server, sessions, **settings):
        """`sessions`: with the server, for each database and role. `settings`: of the pooler, besides those here."""
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="assent-pool-"))
        self.as_user = []
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.as_user = [f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        (self.folder / "users").write_text('"assent" ""\n"postgres" ""\n')
        everything = {
            "listen_addr": "", "unix_socket_dir": self.folder, "auth_type": "trust", "auth_file": self.folder / "users",
            "admin_users": "postgres", "pool_mode": "transaction", "default_pool_size": sessions,
            "max_client_conn": 200, "log_connections": 0, "log_disconnections": 0, **settings,
        }
        lines = [f"{name} = {value}" for name, value in everything.items()]
        (self.folder / "pgbouncer.ini").write_text(
            "\n".join(["[databases]", f"* = host={server.folder}", "[pgbouncer]", *lines, ""]))
        self.process = None

    def start(self):
        with open(self.folder / "log", "ab") as log:
            self.process = subprocess.Popen(
                # Ends with this process, however that ends.
                ["setpriv", *self.as_user, "--pdeathsig", "KILL", shutil.which("pgbouncer", path="/usr/sbin:/usr/bin"),
                 str(self.folder / "pgbouncer.ini")],
                cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        end = time.monotonic() + 10
        while not (self.folder / ".s.PGSQL.6432").exists():
            assert time.monotonic() < end and self.process.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.02)
        return self

    def stop(self):
        """Cuts its clients off at once."""
        if self.process is not None:
            self.process.terminate()
            self.process.wait(10)
            self.process = None

    def url(self, database):
        return f"postgresql://assent@/{database}?host={self.folder}&port=6432"

    def clients(self):
        """How many connections it has been given."""
        done = subprocess.run(
            ["psql", "-h", str(self.folder), "-p", "6432", "-U", "postgres", "-d", "pgbouncer", "-Atc", "SHOW CLIENTS"],
            capture_output=True, text=True, check=True)
        return sum(line.startswith("C|assent|") for line in done.stdout.splitlines())

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)
