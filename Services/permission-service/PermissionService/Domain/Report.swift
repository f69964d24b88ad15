// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// One permission's state as its system told it, in Assent's words.
struct Report: Sendable, Hashable {
  var kind: PermissionKind
  var status: PermissionStatus
  var detail: String?
  var at: Timestamp?
}

extension PermissionReportParams {
  /// - Throws: INVALID_PARAMS that names the member and what is allowed.
  func reports() throws(RPCError) -> [Report] {
    guard 1...PermissionKind.allCases.count ~= permissions.count else {
      throw .invalidParams("permissions", "\(permissions.count) are not in 1...\(PermissionKind.allCases.count)")
    }
    if let osVersion { try TextRule.check(osVersion, "osVersion", 1...64) }
    var reports: [Report] = []
    for (index, item) in permissions.enumerated() {
      let path = "permissions[\(index)]"
      guard !reports.contains(where: { $0.kind == item.kind }) else {
        throw .invalidParams("\(path).kind", "\(item.kind) is reported twice")
      }
      if let detail = item.detail { try TextRule.check(detail, "\(path).detail", 1...64) }
      let status = try PlatformWords.status(
        item.status, detail: item.detail, of: item.kind, on: platform, "\(path).status")
      reports.append(Report(kind: item.kind, status: status, detail: item.detail, at: item.at))
    }
    return reports
  }
}
