// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

/// What the person in front of the screen is told when a decision is refused: `error.data.display`.
enum RefusalText {
  private struct Texts {
    var locale: String
    var byCause: [String: String]
  }

  private static let all = [
    Texts(
      locale: "en",
      byCause: [
        "requiredCategory": "The app cannot work without this one.",
        "notApplicable": "There is nothing to choose here where you live.",
        "ageOnlyYounger": "Your age can only be changed by our support.",
        "optInAfterOptOut": "You opted out before. Do you want to opt in again?",
        "gpcConflict": "Your browser asks us not to sell or share your data. Do you want to allow it all the same?",
      ]),
    Texts(
      locale: "de",
      byCause: [
        "requiredCategory": "Ohne diesen Punkt kann die App nicht arbeiten.",
        "notApplicable": "An Ihrem Wohnort gibt es hier nichts zu wählen.",
        "ageOnlyYounger": "Ihr Alter kann nur unser Support ändern.",
        "optInAfterOptOut": "Sie haben früher widersprochen. Möchten Sie nun doch einwilligen?",
        "gpcConflict":
          "Ihr Browser bittet uns, Ihre Daten nicht zu verkaufen oder weiterzugeben. Möchten Sie es dennoch erlauben?",
      ]),
  ]

  /// The error with what the person is told, where there is something to tell.
  static func told(_ error: RPCError, locale: String?) -> RPCError {
    guard error.display == nil else { return error }
    // Of a confirmation the first thing to be confirmed.
    let cause = error.details["confirm"]?.arrayValue?.first?.stringValue ?? error.reason
    var told = error
    told.display = LanguageTag.best(for: locale, among: all, locale: \.locale)?.byCause[cause]
    return told
  }
}
