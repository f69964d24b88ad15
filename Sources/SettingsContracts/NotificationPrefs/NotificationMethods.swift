// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
public import RPC

/// What notification-prefs-service answers.
public enum NotificationMethods {
  public static let catalog = Method<NotificationCatalogParams, NotificationCatalogResult>(
    "notifications.catalog", "The kinds of notification the app sends, with their channels.", .anyone)
  public static let publishCatalog = Method<NotificationPublishCatalogParams, NotificationCatalogResult>(
    "notifications.publishCatalog", "Replaces the app's notification catalog.", Access(roles: ["admin"]),
    effect: .write)
  public static let get = Method<NotificationGetParams, NotificationPreferencesResult>(
    "notifications.get", "A person's notification preferences.",
    Access(user: true, scopes: ["*"], services: ["account-service"]))
  public static let save = Method<NotificationSaveParams, NotificationPreferencesResult>(
    "notifications.save", "Saves the whole of a person's notification preferences.", Access(user: true),
    effect: .write, errors: [.aborted, .failedPrecondition])
  public static let update = Method<NotificationUpdateParams, NotificationPreferencesResult>(
    "notifications.update", "Changes parts of a person's notification preferences.",
    Access(user: true, scopes: ["agent"]), effect: .write, errors: [.aborted, .failedPrecondition])
  public static let decide = Method<NotificationDecideParams, NotificationDecision>(
    "notifications.decide", "Whether a notification may be sent now: deliver, hold, digest or suppress.",
    Access(scopes: ["decide"]), errors: [.unavailable], hedged: true)
  public static let decideMany = Method<NotificationDecideManyParams, NotificationDecideManyResult>(
    "notifications.decideMany", "Up to 1000 decisions, an answer for each.", Access(scopes: ["decide"]),
    errors: [.unavailable])

  public static let all: [MethodDescriptor] = [
    catalog.descriptor, publishCatalog.descriptor, get.descriptor, save.descriptor, update.descriptor,
    decide.descriptor, decideMany.descriptor,
  ]
}
