-- SPDX-FileCopyrightText: 2026 The Assent Authors
-- SPDX-License-Identifier: Apache-2.0

-- What is known of an app. revision: counts its changes, and those of its policies, for the caches of every replica.
CREATE TABLE consent_app (
  app TEXT PRIMARY KEY,
  revision BIGINT NOT NULL,
  default_regulation TEXT
) STRICT, WITHOUT ROWID;

-- Published policy versions, which never change. The highest is live; without any the built-in one is.
CREATE TABLE consent_policy (
  app TEXT NOT NULL,
  version BIGINT NOT NULL,
  published_at BIGINT NOT NULL,
  document TEXT NOT NULL,
  PRIMARY KEY (app, version)
) STRICT, WITHOUT ROWID;

-- Everything about one subject, as compact JSON. revision: the head's seq at its last change.
CREATE TABLE consent_record (
  app TEXT NOT NULL,
  subject TEXT NOT NULL,
  revision BIGINT NOT NULL,
  record TEXT NOT NULL,
  PRIMARY KEY (app, subject)
) STRICT, WITHOUT ROWID;

-- Decisions that clients named: what was asked, and the first outcome, which every repeat gets.
CREATE TABLE consent_decision (
  app TEXT NOT NULL,
  subject TEXT NOT NULL,
  decision_id TEXT NOT NULL,
  asked TEXT NOT NULL,
  outcome TEXT NOT NULL,
  PRIMARY KEY (app, subject, decision_id)
) STRICT, WITHOUT ROWID;
