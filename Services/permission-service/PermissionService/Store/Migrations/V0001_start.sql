-- An app's own catalog: the params of permission.publishCatalog.
CREATE TABLE permission_catalog (
  app TEXT NOT NULL,
  revision BIGINT NOT NULL,
  published_at BIGINT NOT NULL,
  kinds TEXT NOT NULL,
  PRIMARY KEY (app)
) STRICT, WITHOUT ROWID;

-- A device that reported, and the account last signed in on it.
CREATE TABLE permission_device (
  app TEXT NOT NULL,
  device_id TEXT NOT NULL,
  account_id TEXT,
  seen_at BIGINT NOT NULL,
  PRIMARY KEY (app, device_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX permission_device_by_account ON permission_device (app, account_id, seen_at);

-- What the operating system allows, the prompt's budget, and where the primer stands, by device.
CREATE TABLE device_permission (
  app TEXT NOT NULL,
  device_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  status TEXT,
  detail TEXT,
  reported_at BIGINT,
  changed_at BIGINT,
  prompt_used_at BIGINT,
  primer TEXT NOT NULL,
  cool_down_until BIGINT,
  PRIMARY KEY (app, device_id, kind)
) STRICT, WITHOUT ROWID;

-- Where the primer stands for a person, whatever the device.
CREATE TABLE person_primer (
  app TEXT NOT NULL,
  account_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  cool_down_until BIGINT,
  PRIMARY KEY (app, account_id, kind)
) STRICT, WITHOUT ROWID;
