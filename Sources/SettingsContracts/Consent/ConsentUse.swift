// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// What a category's processing does, in the words the rules read. Category names mean nothing to them.
public enum ConsentUse: String, WireWord {
  /// Personal data is sold.
  case sale
  /// Shared for cross-context behavioural advertising.
  case sharing
  case targetedAds
  /// Sensitive personal data is used.
  case sensitive
  /// Tracking across other companies' apps and sites, what App Tracking Transparency is about.
  case crossAppTracking
  /// The person's behaviour is monitored, such as by usage statistics or recommendations.
  case behaviouralMonitoring
}
