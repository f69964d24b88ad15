// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

public enum AuditExportFormat: String, Codable, Sendable, CaseIterable {
  /// An array of entries with sorted members, each with its evidence.
  case json
  /// The same, one entry a line.
  case ndjson
  /// A header and one row an entry; spreadsheets take no cell for a formula.
  case csv
  /// `[date] Granted Analytics (Regulation: GDPR, App: 2.1.0)`, one line an entry.
  case readable
}

/// What to export: the filters of `audit.entries`, and the form.
public struct AuditExportParams: Codable, Sendable, Hashable {
  /// json when left out.
  public var format: AuditExportFormat?
  public var accountId: String?
  public var deviceId: String?
  public var kind: String?
  public var category: String?
  public var status: String?
  public var regulation: String?
  public var policyVersion: Int?
  public var actor: String?
  public var from: Timestamp?
  public var to: Timestamp?
  public var after: String?
  /// 1 to 1000; as many as fit one answer when left out.
  public var limit: Int?
  public var cursor: String?

  public init(
    format: AuditExportFormat? = nil, accountId: String? = nil, deviceId: String? = nil, kind: String? = nil,
    category: String? = nil, status: String? = nil, regulation: String? = nil, policyVersion: Int? = nil,
    actor: String? = nil, from: Timestamp? = nil, to: Timestamp? = nil, after: String? = nil, limit: Int? = nil,
    cursor: String? = nil
  ) {
    self.format = format
    self.accountId = accountId
    self.deviceId = deviceId
    self.kind = kind
    self.category = category
    self.status = status
    self.regulation = regulation
    self.policyVersion = policyVersion
    self.actor = actor
    self.from = from
    self.to = to
    self.after = after
    self.limit = limit
    self.cursor = cursor
  }

  /// The same as a query of entries.
  public var entries: AuditEntriesParams {
    AuditEntriesParams(
      accountId: accountId, deviceId: deviceId, kind: kind, category: category, status: status,
      regulation: regulation, policyVersion: policyVersion, actor: actor, from: from, to: to, after: after,
      limit: limit, cursor: cursor)
  }
}

/// One page of an export; each page is a whole document of its format.
public struct AuditExport: Codable, Sendable, Hashable {
  public var format: AuditExportFormat
  /// The media type of `content`.
  public var contentType: String
  public var content: String
  /// Entries in `content`.
  public var count: Int
  /// The audit record of this export.
  public var entryId: String
  public var nextCursor: String?

  public init(
    format: AuditExportFormat, contentType: String, content: String, count: Int, entryId: String,
    nextCursor: String? = nil
  ) {
    self.format = format
    self.contentType = contentType
    self.content = content
    self.count = count
    self.entryId = entryId
    self.nextCursor = nextCursor
  }
}
