// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
public import RPC

/// The app itself, as its owner publishes it.
public enum AppMethods {
  public static let publish = Method<AppPublishParams, AppRecord>(
    "app.publish",
    """
    Publishes the app's record whole; what is left out takes its default. An admin of the app `default` may name another \
    app, which makes it when it is not there yet; the answer then shows, once, an admin key of it.
    """,
    Access(roles: ["admin"]), effect: .write, errors: [.notFound])

  public static let get = Method<Empty, AppRecord>(
    "app.get", "The app's record; without a credential, that of the app `default`.", .anyone, errors: [.notFound])

  public static let all: [MethodDescriptor] = [publish.descriptor, get.descriptor]
}
