# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Decisions in SQLite: WAL, synchronous=FULL. Reads in place (they take microseconds), writes on a thread of their own,
so that the event loop goes on while a commit waits for the disk."""

import asyncio
import os
import sqlite3
import time
import uuid
from concurrent.futures import ThreadPoolExecutor

TABLES = """
CREATE TABLE IF NOT EXISTS consent (
  account TEXT, category TEXT, granted INT NOT NULL, policy_version INT NOT NULL, revision INT NOT NULL,
  decided_at INT NOT NULL, PRIMARY KEY (account, category)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS audit (
  id BLOB PRIMARY KEY, account TEXT NOT NULL, category TEXT NOT NULL, granted INT NOT NULL, policy_version INT NOT NULL,
  method TEXT NOT NULL, app_version TEXT NOT NULL, os_version TEXT NOT NULL, revision INT NOT NULL, at INT NOT NULL)
  WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS audit_account ON audit (account, at);
"""

CHECK = "SELECT granted FROM consent WHERE account = ? AND category = ?"

DECIDE = """
INSERT INTO consent VALUES (?, ?, ?, ?, 1, ?) ON CONFLICT (account, category) DO UPDATE
  SET granted = excluded.granted, policy_version = excluded.policy_version, revision = revision + 1,
      decided_at = excluded.decided_at
RETURNING revision
"""

AUDIT = "INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"


def connect() -> sqlite3.Connection:
    connection = sqlite3.connect(
        os.environ["SQLITE_PATH"], timeout=30, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    return connection


class Store:
    async def open(self):
        self.reader = connect()
        self.writer = connect()
        self.writer.executescript(TABLES)
        self.thread = ThreadPoolExecutor(1)

    async def close(self):
        self.thread.shutdown()

    async def decision(self, account: str, category: str) -> bool | None:
        row = self.reader.execute(CHECK, (account, category)).fetchone()
        return None if row is None else bool(row[0])

    async def decide(self, params) -> int:
        return await asyncio.get_running_loop().run_in_executor(self.thread, self.write, params)

    def write(self, params) -> int:
        now = int(time.time() * 1000)
        writer = self.writer
        writer.execute("BEGIN IMMEDIATE")
        try:
            latest = 0
            for category, granted in params.decisions.items():
                (revision,) = writer.execute(
                    DECIDE, (params.accountId, category, granted, params.policyVersion, now)).fetchone()
                writer.execute(AUDIT, (
                    uuid.uuid4().bytes, params.accountId, category, granted, params.policyVersion, params.method,
                    params.context.appVersion, params.context.osVersion, revision, now))
                latest = max(latest, revision)
            writer.execute("COMMIT")
            return latest
        except BaseException:
            writer.execute("ROLLBACK")
            raise
