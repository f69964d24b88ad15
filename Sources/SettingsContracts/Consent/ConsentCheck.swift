// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// May this category be processed for this person or device?
public struct ConsentCheckParams: Codable, Sendable, Hashable {
  public var accountId: String?
  /// Whose signals count; without it the strictest known do.
  public var deviceId: String?
  public var category: String

  public init(accountId: String? = nil, deviceId: String? = nil, category: String) {
    self.accountId = accountId
    self.deviceId = deviceId
    self.category = category
  }
}

public struct ConsentCheckResult: Codable, Sendable, Hashable, JSONObjectEncodable {
  public var allowed: Bool
  public var reason: ConsentReason
  /// When the answer changes by itself next.
  public var reviewAt: Timestamp?

  public init(allowed: Bool, reason: ConsentReason, reviewAt: Timestamp? = nil) {
    self.allowed = allowed
    self.reason = reason
    self.reviewAt = reviewAt
  }

  public func encode(into object: JSONObject) {
    object.put("allowed", allowed)
    object.put("reason", reason.rawValue)
    object.put("reviewAt", reviewAt)
  }
}

public struct ConsentCheckManyParams: Codable, Sendable, Hashable {
  /// At most 1000.
  public var checks: [ConsentCheckParams]
  public init(checks: [ConsentCheckParams]) { self.checks = checks }
}

/// One result or error per check, in order.
public struct ConsentCheckManyResult: Codable, Sendable, Hashable {
  public var results: [Item]
  public init(results: [Item]) { self.results = results }

  /// Either the members of a check's result, or `error`.
  public struct Item: Codable, Sendable, Hashable {
    public var allowed: Bool?
    public var reason: ConsentReason?
    public var reviewAt: Timestamp?
    public var error: ItemFailure?

    public init(_ result: ConsentCheckResult) {
      allowed = result.allowed
      reason = result.reason
      reviewAt = result.reviewAt
    }
    public init(error: ItemFailure) { self.error = error }
  }
}
