// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SQLStore

/// Finds a subject's entries: by an index, or, in a store that logs whole pages, in `audit_trail` and among the newest
/// entries of the log, which are not in it yet.
struct SubjectTrail: Sendable {
  /// How many entries are filed at a time: several for each of a thousand subjects, and few enough to be looked through in
  /// a millisecond or two. It stands in statements and in a migration, too.
  private static let stretch: Int64 = 4_096

  private let isFiled: Bool

  init(_ store: any SQLStore) { isFiled = store.logsWholePages }

  /// Puts those into `audit_trail` that a log fills a stretch with; nil when there are none.
  /// - Parameters:
  ///   - size: entries that were in the log.
  ///   - next: those in it now.
  func file(_ app: String, from size: Int64, to next: Int64) -> SQLStatement? {
    let first = size / Self.stretch * Self.stretch
    let end = next / Self.stretch * Self.stretch
    guard isFiled, first < end else { return nil }
    return SQLStatement(
      """
      INSERT INTO audit_trail (app, subject, timestamp, idx)
      SELECT app, subject, timestamp, idx FROM audit_entry WHERE app = $1 AND idx >= $2 AND idx < $3
      ORDER BY subject, timestamp, idx
      """, .text(app), .integer(first), .integer(end))
  }

  /// `timestamp, idx, entry_id, actor, leaf, sealed, subject, wrapped_key`, newest first.
  /// - Parameters:
  ///   - place: app, start (time, index; before it), end (time, index; down to it), then the filters and the limit.
  ///   - most: entries of the subject that are looked at.
  func entries(of subject: [UInt8], _ place: [SQLValue], lookingAt most: Int) -> SQLStatement {
    guard isFiled else { return SQLStatement(Self.indexed, parameters: place + [.blob(subject)]) }
    return SQLStatement(Self.filed, parameters: place + [.blob(subject), SQLValue(most)])
  }

  /// `timestamp, idx` of one entry, or no row.
  /// - Parameter place: app, start (time, index; before it), first time, and how many entries to pass over.
  func windowEnd(of subject: [UInt8], _ place: [SQLValue]) -> SQLStatement {
    SQLStatement(isFiled ? Self.filedWindowEnd : Self.indexedWindowEnd, parameters: place + [.blob(subject)])
  }

  /// The newest entry in force of each consent category, as `entries`.
  /// - Parameter reference: `audit_subject.subject_ref`.
  func currentDecisions(_ app: String, of reference: [UInt8]) -> SQLStatement {
    SQLStatement(isFiled ? Self.filedDecisions : Self.indexedDecisions, .text(app), .blob(reference))
  }
}

extension SubjectTrail {
  // Runs of the index on (app, subject, timestamp, idx), in its order; the filters look at their rows alone.

  private static let indexed: StaticString = """
    SELECT e.timestamp, e.idx, e.entry_id, e.actor, e.leaf, e.sealed, s.subject, s.wrapped_key
    FROM audit_entry e LEFT JOIN audit_subject s ON s.app = e.app AND s.subject = e.subject
    WHERE e.app = $1 AND e.subject = $15
      AND (e.timestamp, e.idx) < ($2, $3) AND (e.timestamp, e.idx) >= ($4, $5)
      AND (CAST($6 AS TEXT) IS NULL OR (e.kind >= $6 AND e.kind < $7))
      AND (CAST($8 AS TEXT) IS NULL OR e.category = $8) AND (CAST($9 AS TEXT) IS NULL OR e.status = $9)
      AND (CAST($10 AS TEXT) IS NULL OR e.regulation = $10)
      AND (CAST($11 AS BIGINT) IS NULL OR e.policy_version = $11)
      AND (CAST($12 AS TEXT) IS NULL OR (e.actor >= $12 AND e.actor < $13))
    ORDER BY e.timestamp DESC, e.idx DESC LIMIT $14
    """

  private static let indexedWindowEnd: StaticString = """
    SELECT timestamp, idx FROM audit_entry
    WHERE app = $1 AND subject = $6 AND (timestamp, idx) < ($2, $3) AND timestamp >= $4
    ORDER BY timestamp DESC, idx DESC LIMIT 1 OFFSET $5
    """

  private static let indexedDecisions: StaticString = """
    SELECT e.timestamp, e.idx, e.entry_id, e.actor, e.leaf, e.sealed, s.subject, s.wrapped_key
    FROM (
      SELECT category, MAX(idx) AS newest FROM audit_entry
      WHERE app = $1 AND in_force = 1 AND kind >= 'consent.' AND kind <= 'consent.~'
        AND category IS NOT NULL AND status IS NOT NULL
        AND subject IN (
          SELECT subject FROM audit_subject WHERE app = $1 AND subject_ref = $2 AND wrapped_key IS NOT NULL)
      GROUP BY category) c
    JOIN audit_entry e ON e.app = $1 AND e.idx = c.newest
    JOIN audit_subject s ON s.app = $1 AND s.subject = e.subject
    ORDER BY c.category
    """

  // A run of audit_trail, and of the log's end by its index: `+ 0` keeps the planner from the index by time, CROSS JOIN
  // from asking for the subject of every entry.

  private static let filed: StaticString = """
    SELECT e.timestamp, e.idx, e.entry_id, e.actor, e.leaf, e.sealed, s.subject, s.wrapped_key
    FROM (
      SELECT timestamp, idx FROM audit_trail
      WHERE app = $1 AND subject = $15 AND (timestamp, idx) < ($2, $3) AND (timestamp, idx) >= ($4, $5)
      UNION ALL
      SELECT timestamp + 0, idx FROM audit_entry
      WHERE app = $1 AND idx >= (SELECT size / 4096 * 4096 FROM audit_log WHERE app = $1) AND subject = $15
        AND (timestamp + 0, idx) < ($2, $3) AND (timestamp + 0, idx) >= ($4, $5)
      ORDER BY timestamp DESC, idx DESC LIMIT $16) t
    JOIN audit_entry e ON e.app = $1 AND e.idx = t.idx
    LEFT JOIN audit_subject s ON s.app = e.app AND s.subject = e.subject
    WHERE (CAST($6 AS TEXT) IS NULL OR (e.kind >= $6 AND e.kind < $7))
      AND (CAST($8 AS TEXT) IS NULL OR e.category = $8) AND (CAST($9 AS TEXT) IS NULL OR e.status = $9)
      AND (CAST($10 AS TEXT) IS NULL OR e.regulation = $10)
      AND (CAST($11 AS BIGINT) IS NULL OR e.policy_version = $11)
      AND (CAST($12 AS TEXT) IS NULL OR (e.actor >= $12 AND e.actor < $13))
    ORDER BY t.timestamp DESC, t.idx DESC LIMIT $14
    """

  private static let filedWindowEnd: StaticString = """
    SELECT timestamp, idx FROM audit_trail
    WHERE app = $1 AND subject = $6 AND (timestamp, idx) < ($2, $3) AND timestamp >= $4
    UNION ALL
    SELECT timestamp + 0, idx FROM audit_entry
    WHERE app = $1 AND idx >= (SELECT size / 4096 * 4096 FROM audit_log WHERE app = $1) AND subject = $6
      AND (timestamp + 0, idx) < ($2, $3) AND timestamp + 0 >= $4
    ORDER BY timestamp DESC, idx DESC LIMIT 1 OFFSET $5
    """

  private static let filedDecisions: StaticString = """
    SELECT e.timestamp, e.idx, e.entry_id, e.actor, e.leaf, e.sealed, s.subject, s.wrapped_key
    FROM (
      SELECT category, MAX(idx) AS newest FROM audit_entry
      WHERE app = $1 AND in_force = 1 AND kind >= 'consent.' AND kind <= 'consent.~'
        AND category IS NOT NULL AND status IS NOT NULL
        AND idx IN (
          SELECT t.idx FROM audit_subject s JOIN audit_trail t ON t.app = $1 AND t.subject = s.subject
          WHERE s.app = $1 AND s.subject_ref = $2 AND s.wrapped_key IS NOT NULL
          UNION ALL
          SELECT e.idx FROM audit_subject s CROSS JOIN audit_entry e
          WHERE s.app = $1 AND s.subject_ref = $2 AND s.wrapped_key IS NOT NULL AND e.subject = s.subject
            AND e.app = $1 AND e.idx >= (SELECT size / 4096 * 4096 FROM audit_log WHERE app = $1))
      GROUP BY category) c
    JOIN audit_entry e ON e.app = $1 AND e.idx = c.newest
    JOIN audit_subject s ON s.app = $1 AND s.subject = e.subject
    ORDER BY c.category
    """
}
