// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
public import RPC

/// Service keys: what an app's own servers and people call with.
public enum KeyMethods {
  public static let create = Method<KeyCreateParams, ServiceKey>(
    "key.create", "Makes a key with scopes or with a role. Its text is in this answer alone.",
    Access(roles: ["admin"]), effect: .write, errors: [.alreadyExists])

  public static let list = Method<KeyListParams, KeyPage>(
    "key.list", "The app's keys without their text, oldest first.", Access(roles: ["admin"]))

  public static let revoke = Method<KeyRevokeParams, ServiceKey>(
    "key.revoke", "Ends a key: every gateway refuses it within a second.",
    Access(roles: ["admin"]), effect: .write, errors: [.notFound, .failedPrecondition])

  public static let all: [MethodDescriptor] = [create.descriptor, list.descriptor, revoke.descriptor]
}
