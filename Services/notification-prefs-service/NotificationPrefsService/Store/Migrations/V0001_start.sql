-- An app's own catalog: the params of notifications.publishCatalog.
CREATE TABLE notification_catalog (
  app TEXT NOT NULL,
  revision BIGINT NOT NULL,
  published_at BIGINT NOT NULL,
  categories TEXT NOT NULL,
  PRIMARY KEY (app)
) STRICT, WITHOUT ROWID;

-- What a person chose.
CREATE TABLE notification_preferences (
  app TEXT NOT NULL,
  account_id TEXT NOT NULL,
  preferences TEXT NOT NULL,
  PRIMARY KEY (app, account_id)
) STRICT, WITHOUT ROWID;

-- Of the account, as account-service's events tell it.
CREATE TABLE notification_account (
  app TEXT NOT NULL,
  account_id TEXT NOT NULL,
  locale TEXT NOT NULL,
  time_zone TEXT NOT NULL,
  PRIMARY KEY (app, account_id)
) STRICT, WITHOUT ROWID;

-- A device: whose it is, by the session that started on it last, as account-service's events tell it (account_id is NULL
-- once that session ended); and what its operating system lets the app show, as permission-service's tell it.
CREATE TABLE notification_device (
  app TEXT NOT NULL,
  device_id TEXT NOT NULL,
  account_id TEXT,
  session_id TEXT,
  started_at BIGINT,
  status TEXT,
  reported_at BIGINT,
  PRIMARY KEY (app, device_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX notification_device_by_account ON notification_device (app, account_id, device_id);
