// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import NotificationPrefsService
internal import ServiceHost

@main
struct Main {
  static func main() { ServiceHost.run(NotificationPrefsService.self) }
}
