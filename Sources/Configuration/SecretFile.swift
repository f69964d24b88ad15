// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Which files may hold secrets.
public enum SecretFile {
  /// What a file of secrets must be like, for error texts.
  public static let requirement = "its mode must be 0600, or 0640 where it belongs to root and this user's group"

  /// Whether an open file is read by this user alone, or given to it by root through its group, as orchestrators mount
  /// secrets for programs that are not root. PostgreSQL asks the same of its keys.
  public static func isPrivate(_ descriptor: CInt) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    return isPrivate(mode: status.st_mode, owner: status.st_uid, user: geteuid())
  }

  static func isPrivate(mode: UInt32, owner: UInt32, user: UInt32) -> Bool {
    let others = mode & 0o077
    return others == 0 || (owner == 0 && user != 0 && others == 0o040)
  }
}
