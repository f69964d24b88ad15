// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
public import RPC

/// A person's account: profile, appearance, blocked accounts.
public enum AccountMethods {
  public static let create = Method<AccountCreateParams, Account>(
    "account.create",
    """
    Makes an account. An id whose earlier account was deleted starts a new generation, which inherits nothing; while that \
    deletion runs it is refused.
    """,
    Access(scopes: ["account"]), effect: .write, errors: [.alreadyExists, .failedPrecondition])

  public static let get = Method<AccountGetParams, Account>(
    "account.get", "The account as its screen shows it.",
    Access(user: true, scopes: ["*"], services: ["*"]), errors: [.notFound])

  public static let rename = Method<AccountRenameParams, Account>(
    "account.rename", "Changes the person's name.",
    Access(user: true, scopes: ["agent"]), effect: .write, errors: [.notFound])

  public static let update = Method<AccountUpdateParams, Account>(
    "account.update",
    "Changes language and time zone; a key with the scope account also name, e-mail address and plan.",
    Access(user: true, scopes: ["account"]), effect: .write, errors: [.notFound])

  public static let setAppearance = Method<AccountSetAppearanceParams, Account>(
    "account.setAppearance", "Chooses the app's appearance.",
    Access(user: true), effect: .write, errors: [.notFound])

  public static let block = Method<AccountBlockParams, BlockedAccounts>(
    "account.block", "Blocks another account. One that is blocked already stays so.",
    Access(user: true), effect: .write, errors: [.notFound, .resourceExhausted])

  public static let unblock = Method<AccountBlockParams, BlockedAccounts>(
    "account.unblock", "Ends the block of another account.",
    Access(user: true), effect: .write, errors: [.notFound])

  public static let blocked = Method<AccountBlockedParams, BlockedAccounts>(
    "account.blocked", "Whom the person has blocked, newest first, and how many.",
    Access(user: true), errors: [.notFound])

  /// Not public: gateways poll it for what they judge credentials by.
  public static let authChanges = Method<AuthChangesParams, AuthChanges>(
    "account.authChanges", "Keys, apps, public keys and ended sessions, of every app, since a cursor.",
    Access(services: ["gateway"]))

  public static let all: [MethodDescriptor] = [
    create.descriptor, get.descriptor, rename.descriptor, update.descriptor, setAppearance.descriptor,
    block.descriptor, unblock.descriptor, blocked.descriptor, authChanges.descriptor,
  ]
}
