// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SettingsContracts

/// What the person in front of the screen is told when a call is refused: `error.data.display`.
enum PersonText: Sendable {
  case enterName
  case enterEmail

  /// In the request's language, else in English.
  func text(_ locale: String?) -> String? {
    LanguageTag.best(for: locale, among: all, locale: \.locale)?.text
  }

  private var all: [(locale: String, text: String)] {
    switch self {
    case .enterName: [("en", "Enter your name."), ("de", "Geben Sie Ihren Namen ein.")]
    case .enterEmail:
      [("en", "Enter a valid email address."), ("de", "Geben Sie eine gültige E-Mail-Adresse ein.")]
    }
  }
}
