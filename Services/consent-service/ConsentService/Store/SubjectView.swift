// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Events
internal import JSONRPC
internal import SQLStore
internal import SettingsContracts

/// One snapshot of everything that an evaluation of one subject goes by.
struct SubjectView: Sendable {
  var record: ConsentRecord
  /// 0 before the first write.
  let revision: Int64
  /// Of the device through which an account is asked about.
  let deviceRecord: ConsentRecord?
  let policyRevision: Int64
  let isDeleted: Bool

}

extension SubjectView {
  /// One row, always.
  static func statement(_ addressee: Addressee) -> SQLStatement {
    SQLStatement(
      """
      SELECT r.record, r.revision, d.record, a.revision, h.state
      FROM (SELECT 1 AS one) o
      LEFT JOIN consent_record r ON r.app = $1 AND r.subject = $2
      LEFT JOIN consent_record d ON d.app = $1 AND d.subject = $3
      LEFT JOIN consent_app a ON a.app = $1
      LEFT JOIN subject_head h ON h.app = $1 AND h.subject = $2
      """, .text(addressee.subject.app), .text(addressee.subject.id), SQLValue(addressee.device?.id))
  }

  /// The same inside a write, whose first statement has seen that the subject is not deleted.
  static func statementOfWrite(_ addressee: Addressee) -> SQLStatement {
    guard addressee.device == nil else { return statement(addressee) }
    return SQLStatement(
      """
      SELECT r.record, r.revision, NULL, a.revision, NULL
      FROM (SELECT 1 AS one) o
      LEFT JOIN consent_record r ON r.app = $1 AND r.subject = $2
      LEFT JOIN consent_app a ON a.app = $1
      """, .text(addressee.subject.app), .text(addressee.subject.id))
  }

  /// - Throws: `JSONDecodingError` when a stored record cannot be read.
  init(_ rows: SQLRows) throws {
    let row = rows[0]
    record = try row.optionalText(0).map { try JSON.decode(ConsentRecord.self, from: $0) } ?? ConsentRecord()
    revision = row.optionalInt(1) ?? 0
    deviceRecord = try row.optionalText(2).map { try JSON.decode(ConsentRecord.self, from: $0) }
    policyRevision = row.optionalInt(3) ?? 0
    isDeleted = row.optionalInt(4) == 1
  }

  /// The signals that count for a call.
  /// - Parameter requestGPC: the request itself carried Global Privacy Control.
  func signals(_ addressee: Addressee, requestGPC: Bool, at now: Timestamp) -> Signals {
    let known = addressee.deviceId.map { Signals(of: $0, record, deviceRecord) } ?? Signals(strictestOf: record)
    return known.with(requestGPC: requestGPC && addressee.isSelf, at: now)
  }
}
