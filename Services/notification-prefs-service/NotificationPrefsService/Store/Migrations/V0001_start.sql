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

-- The account's live sessions and their devices, as account-service's events tell them.
CREATE TABLE notification_session (
  app TEXT NOT NULL,
  session_id TEXT NOT NULL,
  account_id TEXT NOT NULL,
  device_id TEXT NOT NULL,
  started_at BIGINT NOT NULL,
  PRIMARY KEY (app, session_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX notification_session_by_account ON notification_session (app, account_id, device_id);
CREATE INDEX notification_session_by_device ON notification_session (app, device_id, started_at);

-- What a device's operating system lets the app show, as permission-service's events tell it.
CREATE TABLE notification_device (
  app TEXT NOT NULL,
  device_id TEXT NOT NULL,
  status TEXT NOT NULL,
  reported_at BIGINT NOT NULL,
  PRIMARY KEY (app, device_id)
) STRICT, WITHOUT ROWID;
