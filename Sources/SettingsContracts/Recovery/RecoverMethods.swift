// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
public import RPC

/// What every service but audit-service answers to an operator whose store was restored from a backup.
public enum RecoverMethods {
  public static let recover = Method<Empty, RecoverResult>(
    "rpc.recover",
    "Begins to replay what the store lacks from audit-service, or says how far that has come; to be called until it is done.",
    Access(roles: ["operator"]), effect: .write, errors: [.unavailable], idempotent: true)
}

public struct RecoverResult: Codable, Sendable, Hashable {
  public enum State: String, Codable, Sendable, CaseIterable {
    case running, done
    /// The store lacks nothing.
    case notNeeded
  }
  public var state: State
  /// Events of the service's own that were applied again.
  public var replayed: Int
  /// Other services' events that were taken again.
  public var taken: Int
  /// Own events, written since the restore in the place of others', that follow these now.
  public var rebased: Int
  /// Persons and devices that were erased since the backup, and are again.
  public var erased: Int
  /// Which app is at work.
  public var app: String?

  public init(state: State, replayed: Int, taken: Int, rebased: Int = 0, erased: Int = 0, app: String? = nil) {
    self.state = state
    self.replayed = replayed
    self.taken = taken
    self.rebased = rebased
    self.erased = erased
    self.app = app
  }
}

extension RecoverMethods {
  public static let backup = Method<BackupParams, BackupResult>(
    "rpc.backup",
    """
    Begins to write a copy of the service's data to a new file on its machine, or says whether that is done; to be called \
    until it is. Of embedded stores only.
    """, Access(roles: ["operator"]), effect: .write, errors: [.unavailable], idempotent: true)
}

public struct BackupParams: Codable, Sendable, Hashable {
  /// Absolute, of a file that does not exist.
  public var path: String

  public init(path: String) { self.path = path }
}

public struct BackupResult: Codable, Sendable, Hashable {
  public enum State: String, Codable, Sendable, CaseIterable { case running, done }
  public var state: State
  /// Of the copy, once it is done.
  public var bytes: Int64

  public init(state: State, bytes: Int64) {
    self.state = state
    self.bytes = bytes
  }
}
