// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import JSONRPC
public import RPC

/// What permission-service answers.
public enum PermissionMethods {
  public static let catalog = Method<PermissionCatalogParams, PermissionCatalogResult>(
    "permission.catalog", "The permissions the app uses, with names, symbols, reasons and primers.", .anyone)
  public static let publishCatalog = Method<PermissionPublishCatalogParams, PermissionCatalogResult>(
    "permission.publishCatalog", "Replaces the app's permission catalog.", Access(roles: ["admin"]), effect: .write)
  public static let report = Method<PermissionReportParams, PermissionListResult>(
    "permission.report", "Tells what the operating system allows on the caller's device.",
    Access(device: true, user: true), effect: .write, errors: [.failedPrecondition])
  public static let list = Method<PermissionListParams, PermissionListResult>(
    "permission.list", "A device's permissions in the catalog's order, as a screen shows them.",
    Access(device: true, user: true, scopes: ["*"], services: ["account-service"]), errors: [.failedPrecondition])
  public static let primer = Method<PermissionPrimerParams, PermissionPrimerResult>(
    "permission.primer", "Whether to show a permission's primer now, and with what words.",
    Access(device: true, user: true), errors: [.failedPrecondition])
  public static let record = Method<PermissionRecordParams, PermissionRecordResult>(
    "permission.record", "Tells what happened around a permission's primer.",
    Access(device: true, user: true), effect: .write, errors: [.failedPrecondition])

  public static let all: [MethodDescriptor] = [
    catalog.descriptor, publishCatalog.descriptor, report.descriptor, list.descriptor, primer.descriptor,
    record.descriptor,
  ]
}
