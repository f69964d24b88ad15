# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Decisions in PostgreSQL: one statement, so one transaction and one round trip."""

import os
import uuid

import asyncpg

TABLES = """
CREATE TABLE IF NOT EXISTS consent (
  account text, category text, granted boolean NOT NULL, policy_version int NOT NULL, revision bigint NOT NULL,
  decided_at timestamptz NOT NULL, PRIMARY KEY (account, category));
CREATE TABLE IF NOT EXISTS audit (
  id uuid PRIMARY KEY, account text NOT NULL, category text NOT NULL, granted boolean NOT NULL,
  policy_version int NOT NULL, method text NOT NULL, app_version text NOT NULL, os_version text NOT NULL,
  revision bigint NOT NULL, at timestamptz NOT NULL);
CREATE INDEX IF NOT EXISTS audit_account ON audit (account, at);
"""

CHECK = "SELECT granted FROM consent WHERE account = $1 AND category = $2"

DECIDE = """
WITH decided AS (
  INSERT INTO consent SELECT $1, category, granted, $4, 1, now() FROM unnest($2::text[], $3::bool[]) AS d(category, granted)
  ON CONFLICT (account, category) DO UPDATE
    SET granted = excluded.granted, policy_version = excluded.policy_version, revision = consent.revision + 1,
        decided_at = excluded.decided_at
  RETURNING category, granted, revision, decided_at),
audited AS (
  INSERT INTO audit
    SELECT ids.id, $1, d.category, d.granted, $4, $5, $6, $7, d.revision, d.decided_at
    FROM (SELECT *, row_number() OVER () AS n FROM decided) AS d
    JOIN unnest($8::uuid[]) WITH ORDINALITY AS ids(id, n) ON ids.n = d.n)
SELECT max(revision) FROM decided
"""


class Store:
    async def open(self):
        setup = await asyncpg.connect(os.environ["DSN"])
        async with setup.transaction():
            await setup.execute("SELECT pg_advisory_xact_lock(1)")
            await setup.execute(TABLES)
        await setup.close()
        size = int(os.environ.get("POOL", "16"))
        self.pool = await asyncpg.create_pool(os.environ["DSN"], min_size=size, max_size=size)

    async def close(self):
        await self.pool.close()

    async def decision(self, account: str, category: str) -> bool | None:
        return await self.pool.fetchval(CHECK, account, category)

    async def decide(self, params) -> int:
        categories = list(params.decisions)
        return await self.pool.fetchval(
            DECIDE, params.accountId, categories, [params.decisions[c] for c in categories], params.policyVersion,
            params.method, params.context.appVersion, params.context.osVersion, [uuid.uuid4() for _ in categories])
