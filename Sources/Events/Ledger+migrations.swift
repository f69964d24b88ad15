// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import SQLStore

extension Ledger {
  /// The tables of heads, outbox, inbox and idempotency. The host applies them before the service's own.
  public static let migrations: [Migration] = [
    Migration(
      version: 1, name: "start",
      sql: """
        CREATE TABLE store_meta (
          name TEXT PRIMARY KEY,
          value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- state: 0 live, 1 its deletion runs, 2 erased. A head that is not live is the subject's tombstone.
        CREATE TABLE subject_head (
          app TEXT NOT NULL,
          subject TEXT NOT NULL,
          generation BIGINT NOT NULL,
          seq BIGINT NOT NULL,
          state BIGINT NOT NULL,
          PRIMARY KEY (app, subject)
        ) STRICT, WITHOUT ROWID;

        -- position: microseconds, behind them the writing ledger's number in three digits; the order of delivery.
        -- With rowids: a row of a table without them that is over a quarter of a page takes a page more of its own.
        CREATE TABLE outbox (
          app TEXT NOT NULL,
          subscriber TEXT NOT NULL,
          position BIGINT NOT NULL,
          subject TEXT NOT NULL,
          seq BIGINT NOT NULL,
          event TEXT NOT NULL,
          PRIMARY KEY (app, subscriber, position, subject)
        ) STRICT;

        -- The last event taken of each subject of each source.
        CREATE TABLE inbox (
          app TEXT NOT NULL,
          subject TEXT NOT NULL,
          source TEXT NOT NULL,
          epoch TEXT NOT NULL,
          seq BIGINT NOT NULL,
          entry_id TEXT NOT NULL,
          PRIMARY KEY (app, subject, source, epoch)
        ) STRICT, WITHOUT ROWID;

        -- scope: hash of principal, method and key, behind the number in a key that a gateway made. params: hash of the
        -- params. at: milliseconds.
        CREATE TABLE idempotency (
          app TEXT NOT NULL,
          scope BLOB NOT NULL,
          subject TEXT NOT NULL,
          generation BIGINT NOT NULL,
          params BLOB NOT NULL,
          reply TEXT NOT NULL,
          at BIGINT NOT NULL,
          PRIMARY KEY (app, scope, subject)
        ) STRICT;
        """, component: "events"),
    Migration(version: 2, name: "room", component: "events", rewritten: ["subject_head", "inbox"]),
  ]
}
