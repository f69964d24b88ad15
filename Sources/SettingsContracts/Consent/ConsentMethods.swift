// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
public import RPC

/// consent-service: what a person allows, and whether processing may happen.
public enum ConsentMethods {
  /// D U: the subject itself.
  private static let person = Access(device: true, user: true)
  /// D U S(agent): the subject, or somebody on their behalf.
  private static let personOrAgent = Access(device: true, user: true, scopes: ["agent"])

  public static let catalog = Method<ConsentCatalogParams, ConsentCatalog>(
    "consent.catalog", "The live policy: categories with their texts, the notice, and the regulations known.", .anyone)

  public static let publishPolicy = Method<ConsentPolicy, ConsentCatalog>(
    "consent.publishPolicy", "Publishes a policy version, which is live from then on and never changes.",
    Access(roles: ["admin", "officer"]), effect: .write, errors: [.alreadyExists])

  public static let setSubject = Method<ConsentSetSubjectParams, ConsentState>(
    "consent.setSubject", "Says where a person is and how old, which decides the regulation.",
    Access(device: true, user: true, scopes: ["consent"]), effect: .write, errors: [.failedPrecondition])

  public static let get = Method<ConsentGetParams, ConsentState>(
    "consent.get", "Everything a consent screen shows: categories, notice, whether to ask and why.",
    Access(device: true, user: true, scopes: ["*"], services: ["account-service"]))

  public static let decide = Method<ConsentDecideParams, ConsentState>(
    "consent.decide",
    """
    Records a yes or no for each category named, all in one transaction. A decision that was made offline carries \
    occurredAt and decisionId.
    """,
    personOrAgent, effect: .write, errors: [.failedPrecondition])

  public static let grantAll = Method<ConsentGrantAllParams, ConsentState>(
    "consent.grantAll", "Accept all: yes to every optional category.", personOrAgent, effect: .write,
    errors: [.failedPrecondition])

  public static let denyAll = Method<ConsentRefuseParams, ConsentState>(
    "consent.denyAll", "Reject all: no to every optional category.", personOrAgent, effect: .write,
    errors: [.failedPrecondition])

  public static let withdraw = Method<ConsentWithdrawParams, ConsentState>(
    "consent.withdraw", "Takes consent back, for the categories named or for every optional one.", personOrAgent,
    effect: .write, errors: [.failedPrecondition])

  public static let reset = Method<ConsentWithdrawParams, ConsentState>(
    "consent.reset", "Forgets what was decided, so that the person is asked again. Never raises what is allowed.",
    personOrAgent, effect: .write, errors: [.failedPrecondition])

  public static let optOut = Method<ConsentRefuseParams, ConsentState>(
    "consent.optOut", "Do not sell or share: no to every category that sells or shares, until a confirmed opt-in.",
    personOrAgent, effect: .write, errors: [.failedPrecondition])

  public static let signal = Method<ConsentSignalParams, ConsentState>(
    "consent.signal", "Takes the device's Global Privacy Control and App Tracking Transparency signals.", person,
    effect: .write)

  public static let check = Method<ConsentCheckParams, ConsentCheckResult>(
    "consent.check", "May this category be processed, and why?",
    Access(device: true, user: true, scopes: ["check"], services: ["notification-prefs-service"]), hedged: true)

  public static let checkMany = Method<ConsentCheckManyParams, ConsentCheckManyResult>(
    "consent.checkMany", "Up to 1000 checks: one result or error each, in order.",
    Access(device: true, user: true, scopes: ["check"], services: ["notification-prefs-service"]))

  public static let link = Method<ConsentLinkParams, ConsentState>(
    "consent.link", "Brings a device's decisions to the account: per category the newest explicit decision stands.",
    Access(user: true), effect: .write, errors: [.failedPrecondition])

  public static let history = Method<ConsentHistoryParams, AuditPage>(
    "consent.history", "The audit trail of the subject's consent, newest first.",
    Access(device: true, user: true, scopes: ["*"]), errors: [.unavailable])

  public static let all: [MethodDescriptor] = [
    catalog.descriptor, publishPolicy.descriptor, setSubject.descriptor, get.descriptor, decide.descriptor,
    grantAll.descriptor, denyAll.descriptor, withdraw.descriptor, reset.descriptor, optOut.descriptor,
    signal.descriptor, check.descriptor, checkMany.descriptor, link.descriptor, history.descriptor,
  ]
}
