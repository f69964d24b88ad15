// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import AssentCLI
internal import Glibc

@main struct Main {
  static func main() async { exit(await AssentCLI.main()) }
}
