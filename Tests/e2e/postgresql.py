# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""A PostgreSQL server of the test run's own: Debian's, durable, on a socket in a temporary folder, never as root."""

import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import time
import uuid


class PostgreSQL:
    def __init__(self):
        versions = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name))
        assert versions, "no PostgreSQL server under /usr/lib/postgresql: install Debian's package postgresql"
        self.programs = versions[-1]
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="assent-pg-"))
        self.as_user = []
        if os.geteuid() == 0:
            user = pwd.getpwnam("postgres")
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            self.as_user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"]
        self.run(
            "initdb", "-D", str(self.folder / "data"), "-U", "postgres", "-A", "trust", "--encoding=UTF8",
            "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US")
        self.process = None

    def run(self, program, *arguments):
        done = subprocess.run(
            [*self.as_user, str(self.programs / program), *arguments], cwd="/", capture_output=True, text=True)
        assert done.returncode == 0, f"{program}: {done.stderr}"
        return done.stdout

    def start(self, **settings):
        """`settings`: of the server, in place of those it has by itself."""
        log = open(self.folder / "log", "ab")
        self.process = subprocess.Popen(
            [
                # Ends with this process, however that ends.
                *(self.as_user or ["setpriv"]), "--pdeathsig", "QUIT", str(self.programs / "postgres"), "-D", str(self.folder / "data"),
                "-c", "listen_addresses=", "-c", f"unix_socket_directories={self.folder}",
                "-c", "max_connections=200",
                *(part for name, value in settings.items() for part in ("-c", f"{name}={value}")),
            ],
            cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)
        log.close()
        end = time.monotonic() + 30
        asking = [
            str(self.programs / "pg_isready"), "-q", "-h", str(self.folder), "-p", str(settings.get("port", 5432))]
        while subprocess.run(asking).returncode != 0:
            assert time.monotonic() < end and self.process.poll() is None, (self.folder / "log").read_text()
            time.sleep(0.02)
        return self

    def stop(self, how=signal.SIGINT):
        """SIGINT cuts sessions off at once; SIGQUIT ends as if the machine had failed."""
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(30)
            self.process = None

    def query(self, database, sql):
        return self.run("psql", "-h", str(self.folder), "-U", "postgres", "-d", database, "-Atc", sql)

    def new_database(self):
        """The URL of a database of its own."""
        name = f"assent_{uuid.uuid4().hex[:12]}"
        self.query("postgres", f"CREATE DATABASE {name}")
        return f"postgresql://postgres@/{name}?host={self.folder}"

    def remove(self):
        self.stop(signal.SIGQUIT)
        shutil.rmtree(self.folder, ignore_errors=True)
