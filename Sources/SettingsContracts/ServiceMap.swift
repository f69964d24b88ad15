// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Which service answers a method: decided by the domain in front of its first dot.
public enum ServiceMap {
  public static let services = [
    "account-service", "audit-service", "consent-service", "notification-prefs-service", "permission-service",
  ]

  private static let byDomain = [
    "app": "account-service", "key": "account-service", "session": "account-service", "account": "account-service",
    "export": "account-service", "deletion": "account-service", "request": "account-service",
    "processor": "account-service", "consent": "consent-service", "permission": "permission-service",
    "notifications": "notification-prefs-service", "audit": "audit-service",
  ]

  /// `consent.check` → `consent-service`; nil for a method of no service.
  public static func service(answering method: String) -> String? {
    guard let dot = method.firstIndex(of: ".") else { return nil }
    return byDomain[String(method[..<dot])]
  }
}
