// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Which service answers a method: decided by the domain in front of its first dot.
public enum ServiceMap {
  public static let services = [
    "account-service", "audit-service", "consent-service", "notification-prefs-service", "permission-service",
  ]

  /// The services whose events a service takes; audit-service takes all.
  public static func sources(of subscriber: String) -> [String] {
    switch subscriber {
    case "audit-service": services
    case "consent-service": ["account-service"]
    case "notification-prefs-service": ["account-service", "permission-service"]
    default: []
    }
  }

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
