// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import RPC

/// Finds whose usage a credential counts against: all of a person's sessions share one. Used on the socket thread only.
final class CallerUsages {
  private let persons: Usages
  private let keys: Usages
  private let unlimited = Usage(Usage.Limits(), isShared: true)

  init(_ limits: CallLimits) {
    persons = Usages(limits.person)
    keys = Usages(limits.key)
  }

  /// Looked up once for each credential.
  func usage(of credential: Credential) -> Usage {
    if let known = credential.usage { return known }
    let principal = credential.principal
    let name = "\(principal.app)/\(principal.identity)"
    let usage =
      switch principal.kind {
      case .user, .device: persons.usage(of: name)
      case .key: keys.usage(of: name)
      case .anonymous, .service: unlimited
      }
    credential.usage = usage
    return usage
  }
}
