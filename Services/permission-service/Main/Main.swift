// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import PermissionService
internal import ServiceHost

@main
struct Main {
  static func main() { ServiceHost.run(PermissionService.self) }
}
