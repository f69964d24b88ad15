// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

extension PolicyVersion {
  /// Version 1 of every app: live until the app publishes its own.
  static let builtIn = PolicyVersion(
    ConsentPolicy(
      version: 1, material: true, categories: [essential, analytics, marketing, personalization, functional],
      notices: [
        ConsentPolicy.Notice(
          locale: "en", title: "You decide what we may do with your data",
          text: """
            Some processing is needed to run the app. Everything else is up to you: say yes or no to each purpose. You \
            can change your mind at any time in the settings.
            """),
        ConsentPolicy.Notice(
          locale: "de", title: "Sie entscheiden, was mit Ihren Daten geschieht",
          text: """
            Ein Teil der Verarbeitung ist für den Betrieb der App nötig. Alles Weitere bestimmen Sie: Sagen Sie zu \
            jedem Zweck Ja oder Nein. In den Einstellungen können Sie das jederzeit ändern.
            """),
      ]),
    publishedAt: Timestamp(milliseconds: 1_767_225_600_000))

  private static let essential = category(
    "essential", required: true, basis: "contract", uses: [],
    en: ("Essential", "Signing in, keeping your account safe and the core of the app. It cannot be switched off."),
    de: (
      "Notwendig",
      "Anmeldung, Schutz Ihres Kontos und die Grundfunktionen der App. Das lässt sich nicht abschalten."
    ))
  private static let analytics = category(
    "analytics", uses: [.behaviouralMonitoring],
    en: ("Analytics", "Shows us which parts of the app are used and where it fails, so that we can improve it."),
    de: (
      "Analyse", "Zeigt uns, welche Teile der App genutzt werden und wo sie versagt, damit wir sie verbessern können."
    ))
  private static let marketing = category(
    "marketing", uses: [.sharing, .targetedAds, .crossAppTracking],
    en: ("Marketing", "Lets us and our partners show you advertising that fits you, and measure whether it works."),
    de: ("Marketing", "Erlaubt uns und unseren Partnern, Ihnen passende Werbung zu zeigen und ihre Wirkung zu messen."))
  private static let personalization = category(
    "personalization", uses: [.behaviouralMonitoring],
    en: ("Personalization", "Uses what you do in the app to recommend things you may like."),
    de: ("Personalisierung", "Nutzt Ihr Verhalten in der App, um Ihnen Passendes zu empfehlen."))
  private static let functional = category(
    "functional", uses: [],
    en: ("Functional", "Remembers your choices beyond what the app needs, such as recent searches and layouts."),
    de: ("Funktional", "Merkt sich Ihre Einstellungen über das Nötige hinaus, etwa letzte Suchen und Ansichten."))

  private static func category(
    _ id: String, required: Bool = false, basis: String = "consent", uses: [ConsentUse], en: (String, String),
    de: (String, String)
  ) -> ConsentPolicy.Category {
    ConsentPolicy.Category(
      id: id, required: required, legalBasis: basis, uses: uses,
      texts: [
        ConsentPolicy.Text(locale: "en", displayName: en.0, explanation: en.1),
        ConsentPolicy.Text(locale: "de", displayName: de.0, explanation: de.1),
      ])
  }
}
