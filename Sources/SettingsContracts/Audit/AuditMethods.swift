// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
public import RPC

/// audit-service: the record of every change, by subject and for the whole app.
public enum AuditMethods {
  public static let entries = Method<AuditEntriesParams, AuditPage>(
    "audit.entries",
    """
    The audit trail, newest first, filtered. A person or device sees its own; a key names a subject or sees the app's. \
    `after` waits, within the deadline, until that entry is in.
    """,
    Access(
      device: true, user: true, scopes: ["audit"], roles: ["admin", "officer"],
      services: ["consent-service", "account-service"]),
    errors: [.unavailable], waits: true)

  public static let currentDecisions = Method<CurrentDecisionsParams, CurrentDecisions>(
    "audit.currentDecisions", "The newest decision in force of each consent category, from the audit trail.",
    Access(user: true, scopes: ["*"], services: ["consent-service", "account-service"]),
    errors: [.unavailable], waits: true)

  public static let export = Method<AuditExportParams, AuditExport>(
    "audit.export",
    """
    The audit trail as a document: json, ndjson, csv or readable lines. Appends its own entry first. What does not fit \
    one answer follows with `nextCursor`.
    """,
    Access(user: true, roles: ["admin", "officer"], services: ["account-service"]), effect: .write,
    errors: [.unavailable], waits: true)

  public static let all: [MethodDescriptor] = [entries.descriptor, currentDecisions.descriptor, export.descriptor]
}
