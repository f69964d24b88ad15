// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// How many descriptors the process may have open: each connection takes one.
public enum DescriptorLimit {
  /// Raises the soft limit as far as the hard one lets it, at most to 65,536. A `Context` does so before its
  /// first socket: where accept finds no descriptor, libzmq's thread spins.
  /// - Returns: the limit in force.
  @discardableResult
  public static func raise() -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 1_024 }
    let wanted = min(limit.rlim_max, 65_536)
    if limit.rlim_cur < wanted {
      var raised = rlimit(rlim_cur: wanted, rlim_max: limit.rlim_max)
      if setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &raised) == 0 { limit.rlim_cur = wanted }
    }
    return Int(min(limit.rlim_cur, 1 << 30))
  }
}
