// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public struct ConsentHistoryParams: Codable, Sendable, Hashable {
  public var accountId: String?
  public var deviceId: String?
  /// One category's entries only.
  public var category: String?
  /// Wait until the entry of this id is in.
  public var after: String?
  /// 1 to 200; 50 when left out.
  public var limit: Int?
  /// `nextCursor` of the page before.
  public var cursor: String?

  public init(
    accountId: String? = nil, deviceId: String? = nil, category: String? = nil, after: String? = nil,
    limit: Int? = nil, cursor: String? = nil
  ) {
    self.accountId = accountId
    self.deviceId = deviceId
    self.category = category
    self.after = after
    self.limit = limit
    self.cursor = cursor
  }
}
