// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import SettingsContracts

/// What a `KeptState` leaves out.
extension ConsentState {
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
