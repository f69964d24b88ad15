// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public struct CurrentDecisionsParams: Codable, Sendable, Hashable {
  public var accountId: String?
  public var deviceId: String?
  /// Wait until the entry of this id is in.
  public var after: String?

  public init(accountId: String? = nil, deviceId: String? = nil, after: String? = nil) {
    self.accountId = accountId
    self.deviceId = deviceId
    self.after = after
  }
}

/// One entry a category: the newest decision in force, in the order of the categories' ids.
public struct CurrentDecisions: Codable, Sendable, Hashable {
  public var items: [AuditEntry]
  public init(items: [AuditEntry]) { self.items = items }
}
