// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import JSONRPC

/// Why one item of a call about many has no result: a JSON-RPC error object without the members that only a whole call
/// has.
public struct ItemFailure: Codable, Sendable, Hashable {
  public var code: Int
  public var message: String
  public var data: Details

  public struct Details: Codable, Sendable, Hashable {
    public var status: String
    public var reason: String
    public var field: String?
    public var retryable: Bool
    public var processed: Bool

    public init(status: String, reason: String, field: String?, retryable: Bool, processed: Bool) {
      self.status = status
      self.reason = reason
      self.field = field
      self.retryable = retryable
      self.processed = processed
    }
  }

  public init(_ error: RPCError) {
    code = error.code.rawValue
    message = error.message
    data = Details(
      status: error.code.status, reason: error.reason, field: error.field, retryable: error.retryable,
      processed: error.processed == .yes)
  }
}
