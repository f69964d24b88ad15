// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
public import RPC

/// The settings screen as a whole: what the gateway composes of the services' answers.
public enum SettingsMethods {
  public static let load = Method<SettingsLoadParams, SettingsLoadResult>(
    "settings.load",
    """
    Everything a settings screen shows, fetched side by side. A section whose service does not answer carries its error; \
    the others are there.
    """,
    Access(device: true, user: true))

  public static let setChoice = Method<SettingsSetChoiceParams, SettingsSetChoiceResult>(
    "settings.setChoice",
    "The privacy switches: records the categories personalization and analytics as consent.decide does.",
    Access(device: true, user: true), effect: .write, errors: [.failedPrecondition])

  public static let all: [MethodDescriptor] = [load.descriptor, setChoice.descriptor]
}
