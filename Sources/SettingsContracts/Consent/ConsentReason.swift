// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// Why a category may or may not be processed.
public enum ConsentReason: String, WireWord {
  /// Needed to run the app; nobody is asked.
  case required
  /// The person said yes, and it holds.
  case granted
  /// The person said no.
  case denied
  /// Nobody decided, and the regulation wants a yes first.
  case undecided
  /// Nobody decided, and the regulation allows until somebody objects. Not a grant.
  case optOutDefault
  /// The person opted out; nothing but a confirmed opt-in lifts it.
  case optedOut
  /// Global Privacy Control is on.
  case gpc
  /// App Tracking Transparency does not authorize it.
  case att
  /// Too young to decide alone, or the use is barred at that age.
  case minor
  /// A parent or guardian said yes.
  case guardian
  /// The yes is older than it may be.
  case expired
  /// The yes was given to another version of the policy.
  case policyChanged
  /// The category does not exist where the person is.
  case notApplicable
  /// The yes rested on a faulty notice.
  case invalidated
}

/// What a category's record says.
public enum ConsentStatus: String, WireWord {
  case granted, denied, notDetermined, notApplicable
}

/// Why the person should be asked.
public enum ConsentPromptReason: String, WireWord {
  /// Not decided yet.
  case missing
  /// What was decided no longer fits the live policy version.
  case policyChanged
  /// A yes ran out, or the time after which a no may be asked again.
  case expired
  case none
}

/// How a decision came about.
public enum ConsentMethod: String, WireWord {
  /// Chosen by the person: a whole screen, one switch.
  case save, toggle
  /// `consent.grantAll` and `consent.denyAll`.
  case acceptAll, rejectAll
  /// Set by the server.
  case guardian, gpc, link, `import`, agent
}
