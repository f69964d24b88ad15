// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
public import RPC

/// Sessions of devices before sign-in and of signed-in people.
public enum SessionMethods {
  public static let startDevice = Method<SessionStartDeviceParams, SessionGrant>(
    "session.startDevice", "A new device before sign-in: its id and its first tokens.",
    Access.anyone, effect: .write, errors: [.unauthenticated])

  public static let start = Method<SessionStartParams, SessionGrant>(
    "session.start", "Signs a person in whom the app has verified, on a known device or a new one.",
    Access(scopes: ["session"]), effect: .write, errors: [.notFound, .failedPrecondition])

  public static let refresh = Method<SessionRefreshParams, SessionGrant>(
    "session.refresh",
    """
    New tokens for a refresh token, which is then spent. A spent one that comes again (without the idempotency key of \
    the call that spent it) ends the session, since someone else holds it.
    """,
    Access.anyone, effect: .write, errors: [.unauthenticated])

  public static let reauthenticate = Method<SessionReauthenticateParams, SessionGrant>(
    "session.reauthenticate",
    "The app has verified the session's person again: a new token that says when. The refresh token stays.",
    Access(scopes: ["session"]), effect: .write, errors: [.notFound, .failedPrecondition])

  public static let list = Method<SessionListParams, SessionPage>(
    "session.list", "Where the person is signed in, newest first.", Access(user: true))

  public static let signOut = Method<SessionSignOutParams, SignedOut>(
    "session.signOut",
    "Ends this session, or another of the person's. The calling device goes on as a new device before sign-in.",
    Access(user: true), effect: .write, errors: [.notFound])

  public static let signOutEverywhere = Method<SessionSignOutEverywhereParams, SignedOut>(
    "session.signOutEverywhere", "Ends every session of the person, this one among them.",
    Access(user: true), effect: .write)

  /// Not public: what a token of someone else's says, for services that are handed one as a param.
  public static let verify = Method<SessionVerifyParams, VerifiedSession>(
    "session.verify", "Whose token this is, if it is good.", Access(services: ["*"]), errors: [.unauthenticated])

  public static let all: [MethodDescriptor] = [
    startDevice.descriptor, start.descriptor, refresh.descriptor, reauthenticate.descriptor, list.descriptor,
    signOut.descriptor, signOutEverywhere.descriptor, verify.descriptor,
  ]
}
