// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

/// The ids of the regulations that consent-service has facts about where it was not given other ones.
public enum RegulationNames {
  public static let builtIn = ["gdpr", "ukGdpr", "ccpa", "dpdp", "generic"]
}
