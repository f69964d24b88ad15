// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
internal import SettingsContracts

extension AccountEventPayload {
  var json: JSONValue { ["locale": .string(locale), "timeZone": .string(timeZone)] }
}

extension AppEventPayload {
  var json: JSONValue {
    var members: [String: JSONValue] = ["defaultLocale": .string(defaultLocale)]
    if let defaultRegulation { members["defaultRegulation"] = .string(defaultRegulation) }
    return .object(members)
  }
}
