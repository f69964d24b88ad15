-- One log an app. size: entries in it, so the next entry's index. key_id: which key wraps its subjects' keys.
CREATE TABLE audit_log (
  app TEXT NOT NULL,
  log_id BLOB NOT NULL,
  key_id BLOB NOT NULL,
  size BIGINT NOT NULL,
  PRIMARY KEY (app)
) STRICT, WITHOUT ROWID;

-- Whom entries are about. subject_ref: HMAC of the subject's id under a key outside the database; subject: 128 random
-- bits; wrapped_key: the key of its sealed parts. Erased: subject and wrapped_key are NULL, the row is the tombstone.
CREATE TABLE audit_subject (
  app TEXT NOT NULL,
  subject_ref BLOB NOT NULL,
  generation BIGINT NOT NULL,
  subject BLOB,
  wrapped_key BLOB,
  PRIMARY KEY (app, subject_ref, generation)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX audit_subject_subject ON audit_subject (app, subject);

-- leaf: canonical JSON, hashed with 0x00 in front into leaf_hash. sealed: salt and personal part, NULL once erased.
-- The columns from kind to in_force are for look-up and stand outside the leaf.
CREATE TABLE audit_entry (
  app TEXT NOT NULL,
  idx BIGINT NOT NULL,
  entry_id TEXT NOT NULL,
  subject BLOB NOT NULL,
  timestamp BIGINT NOT NULL,
  kind TEXT NOT NULL,
  category TEXT,
  status TEXT,
  regulation TEXT,
  policy_version BIGINT,
  actor TEXT NOT NULL,
  in_force BIGINT NOT NULL,
  leaf BLOB NOT NULL,
  leaf_hash BLOB NOT NULL,
  sealed BLOB,
  PRIMARY KEY (app, idx)
) STRICT;
CREATE INDEX audit_entry_id ON audit_entry (app, entry_id);
CREATE INDEX audit_entry_subject ON audit_entry (app, subject, timestamp, idx);
CREATE INDEX audit_entry_time ON audit_entry (app, timestamp, idx);
