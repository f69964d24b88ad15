-- Where each subject's entries stand, in the order of lists, for stores that log whole pages: an index by subject has nearly
-- every entry change a page of its own. Here they are put 4096 at a time, in this order; the entries behind the last
-- multiple of 4096 are looked through.
CREATE TABLE audit_trail (
  app TEXT NOT NULL,
  subject BLOB NOT NULL,
  timestamp BIGINT NOT NULL,
  idx BIGINT NOT NULL,
  PRIMARY KEY (app, subject, timestamp, idx)
) STRICT, WITHOUT ROWID;

INSERT INTO audit_trail (app, subject, timestamp, idx)
SELECT e.app, e.subject, e.timestamp, e.idx
FROM audit_log l JOIN audit_entry e ON e.app = l.app AND e.idx < l.size / 4096 * 4096
ORDER BY e.app, e.subject, e.timestamp, e.idx;

DROP INDEX audit_entry_subject;
