// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Gateway

@main struct Main {
  static func main() { GatewayProgram.run() }
}
