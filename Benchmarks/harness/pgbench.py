# SPDX-FileCopyrightText: 2026 The Assent Authors
# SPDX-License-Identifier: Apache-2.0
"""Assent's decisions on PostgreSQL, and PostgreSQL's own load generator with the statements of one decision on tables of
the same shape: prepared, a round trip for each, as a program sends them that does not pipeline."""

import os
import subprocess
from pathlib import Path

from . import assent
from .assent import Assent, Rows
from .benchmark import Benchmark
from .loads import Measurement
from .packages import check, install
from .postgres import Postgres
from .servers import Failure, Server, Together

NAMES = ["consent.decide/http/postgres", "pgbench"]
ACCOUNTS = 1000
RECORD = '{"decisions":"analytics granted 1796049762076 1 toggle"}'
EVENT_BYTES, REPLY_BYTES = 700, 1200

# The statements of one consent.decide, as the server is sent them. n counts a client's transactions.
SCRIPT = f"""
\\set n :n + 1
\\set account random(1, {ACCOUNTS})
\\set unique :n * 1000 + :client_id
BEGIN;
INSERT INTO consent_service.subject_head (app, subject, generation, seq, state)
  VALUES ('default', 'account-'::text || :account, 1, 1, 0)
  ON CONFLICT (app, subject) DO UPDATE SET seq = subject_head.seq + 1 WHERE subject_head.state = 0
  RETURNING generation, seq;
SELECT generation, params, reply, at FROM consent_service.idempotency
  WHERE app = 'default' AND scope = int8send(:unique) || '\\x0123456789abcdef0123456789abcdef'
    AND subject = 'account-'::text || :account;
SELECT r.record, r.revision, d.record, a.revision, h.state
  FROM (SELECT 1 AS one) o
  LEFT JOIN consent_service.consent_record r ON r.app = 'default' AND r.subject = 'account-'::text || :account
  LEFT JOIN consent_service.consent_record d ON d.app = 'default' AND d.subject = 'device'
  LEFT JOIN consent_service.consent_app a ON a.app = 'default'
  LEFT JOIN consent_service.subject_head h ON h.app = 'default' AND h.subject = 'account-'::text || :account;
INSERT INTO consent_service.consent_record (app, subject, revision, record)
  VALUES ('default', 'account-'::text || :account, :n, '{RECORD}')
  ON CONFLICT (app, subject) DO UPDATE SET revision = excluded.revision, record = excluded.record;
INSERT INTO consent_service.outbox (app, subscriber, position, subject, seq, event)
  VALUES ('default', 'audit-service', :unique, 'account-'::text || :account, :n, '{"e" * EVENT_BYTES}');
INSERT INTO consent_service.idempotency (app, scope, subject, generation, params, reply, at)
  VALUES ('default', int8send(:unique) || '\\x0123456789abcdef0123456789abcdef', 'account-'::text || :account, 1,
    '\\x0123456789abcdef0123456789abcdef', '{"r" * REPLY_BYTES}', :n)
  ON CONFLICT (app, scope, subject) DO UPDATE SET
    generation = excluded.generation, params = excluded.params, reply = excluded.reply, at = excluded.at;
COMMIT;
"""


def enter(benchmark: Benchmark) -> None:
    install("wrk")
    assent.build()
    cluster = benchmark.subfolder("assent-postgres-cluster")
    postgres = Postgres(cluster)
    database = benchmark.running.enter_context(postgres.start())
    folder = benchmark.subfolder("assent-postgres")
    running = benchmark.running.enter_context(Assent(folder, {"ASSENT_DATABASE_URL": postgres.dsn}))
    running.wait()
    Rows(benchmark, running, folder, Together(running, database)).enter_decisions("http", suffix="/postgres")
    postgres.copy_tables("consent_service", "pgbench")
    script = folder / "decide.sql"
    script.write_text(SCRIPT)
    benchmark.row(
        "pgbench", database,
        lambda in_flight, seconds: pgbench(postgres, script, in_flight, seconds, folder))


def pgbench(postgres: Postgres, script: Path, clients: int, seconds: float, folder: Path) -> Measurement:
    """One run on empty tables."""
    postgres.empty("pgbench", "consent_service")
    for old in folder.glob("pgbench.*"):
        old.unlink()
    done = subprocess.run(
        [str(postgres.programs / "pgbench"), "-n", "-M", "prepared", "-c", str(clients), "-j", str(min(2, clients)),
         "-T", str(max(1, int(seconds))), "-D", "n=0", "-f", str(script), "-l", "--log-prefix", str(folder / "pgbench"),
         "-h", str(postgres.folder), "-U", "postgres", "pgbench"],
        capture_output=True, text=True, timeout=seconds + 60, env={**os.environ, "LC_ALL": "C"})
    if done.returncode != 0:
        raise Failure(f"pgbench: {done.stderr.strip()}")
    # Client, number, microseconds, …
    micros = sorted(
        int(line.split()[2]) for log in folder.glob("pgbench.*") for line in log.read_text().splitlines())
    rate = next(
        float(line.split("=")[1].split()[0]) for line in done.stdout.splitlines() if line.startswith("tps ="))
    return Measurement(
        len(micros), len(micros) / rate, micros[len(micros) // 2], micros[len(micros) * 99 // 100], 0)
