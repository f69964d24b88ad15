-- SPDX-FileCopyrightText: 2026 The Assent Authors
-- SPDX-License-Identifier: Apache-2.0

-- auth_seq, in every table that gateways judge credentials by: the revision of the app's head x:auth at the row's last
-- change that matters to them.

-- An app as published. details: JSON of what is looked at as a whole only.
CREATE TABLE app (
  app TEXT NOT NULL,
  name TEXT NOT NULL,
  publishable_key TEXT NOT NULL,
  default_locale TEXT NOT NULL,
  details TEXT NOT NULL,
  auth_seq BIGINT NOT NULL,
  PRIMARY KEY (app)
) STRICT, WITHOUT ROWID;

-- hash: SHA-256 of the key's text. scopes: names with spaces between them, or NULL where there is a role.
CREATE TABLE service_key (
  app TEXT NOT NULL,
  key_id TEXT NOT NULL,
  name TEXT NOT NULL,
  owner TEXT NOT NULL,
  hash BLOB NOT NULL,
  scopes TEXT,
  role TEXT,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT,
  auth_seq BIGINT NOT NULL,
  PRIMARY KEY (app, key_id)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX service_key_name ON service_key (app, name);
CREATE INDEX service_key_auth ON service_key (app, auth_seq);

CREATE TABLE account (
  app TEXT NOT NULL,
  account_id TEXT NOT NULL,
  name TEXT NOT NULL,
  email TEXT NOT NULL,
  plan TEXT,
  appearance TEXT NOT NULL,
  locale TEXT NOT NULL,
  time_zone TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (app, account_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE blocked_account (
  app TEXT NOT NULL,
  account_id TEXT NOT NULL,
  blocked_id TEXT NOT NULL,
  blocked_at BIGINT NOT NULL,
  PRIMARY KEY (app, account_id, blocked_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX blocked_account_time ON blocked_account (app, account_id, blocked_at, blocked_id);

-- account_id: NULL before sign-in. expires_at: when it ends without a refresh. refresh_count: refresh tokens spent.
-- spent_by: SHA-256 of the idempotency key under which the last was spent. token_until: when its last access token ends.
-- auth_seq: 0 until it has ended.
CREATE TABLE session (
  app TEXT NOT NULL,
  session_id TEXT NOT NULL,
  account_id TEXT,
  device_id TEXT NOT NULL,
  generation BIGINT NOT NULL,
  device_name TEXT,
  platform TEXT,
  app_version TEXT,
  created_at BIGINT NOT NULL,
  authenticated_at BIGINT,
  last_seen_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  refresh_count BIGINT NOT NULL,
  spent_by BLOB,
  token_until BIGINT NOT NULL,
  ended_at BIGINT,
  auth_seq BIGINT NOT NULL,
  PRIMARY KEY (app, session_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX session_account ON session (app, account_id, session_id) WHERE account_id IS NOT NULL;
CREATE INDEX session_device ON session (app, device_id);
CREATE INDEX session_auth ON session (app, auth_seq) WHERE auth_seq > 0;
CREATE INDEX session_expiry ON session (app, expires_at);
