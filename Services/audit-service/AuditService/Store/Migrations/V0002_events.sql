-- Every event as its source must be able to get it again, in the order in which they were made. sealed: the event under its
-- subject's key, NULL once that is destroyed; without records where audit-service is the only subscriber.
CREATE TABLE audit_event (
  app TEXT NOT NULL,
  source TEXT NOT NULL,
  entry_id TEXT NOT NULL,
  subject BLOB NOT NULL,
  generation BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  epoch TEXT NOT NULL,
  sealed BLOB,
  PRIMARY KEY (app, source, entry_id)
) STRICT;
