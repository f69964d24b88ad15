// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SettingsContracts

/// States are kept for repeats without the policy's texts, which are most of their bytes and are there anyway: versions
/// never change, so a version's number and a language give them back to the letter.
extension ConsentState {
  /// - Returns: the state as kept.
  func withoutTexts() -> ConsentState {
    var kept = self
    kept.notice.title = ""
    kept.notice.text = ""
    kept.notice.hash = ""
    for index in kept.categories.indices {
      kept.categories[index].displayName = ""
      kept.categories[index].explanation = ""
    }
    return kept
  }

  var lacksTexts: Bool { notice.title.isEmpty }

  /// - Parameter policy: the app's, at any later time.
  /// - Returns: the state as it was first answered.
  func withTexts(of policy: PolicyHistory) -> ConsentState {
    guard let version = policy[policyVersion] else { return self }
    let edition = policy.texts(of: version).edition(for: notice.locale)
    var whole = self
    whole.notice = edition.notice
    for index in whole.categories.indices where index < edition.texts.count {
      whole.categories[index].displayName = edition.texts[index].displayName
      whole.categories[index].explanation = edition.texts[index].explanation
    }
    return whole
  }
}
