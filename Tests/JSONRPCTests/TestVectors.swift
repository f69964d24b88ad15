// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Test vectors that others wrote. They are not part of the project: the folder is named by `ASSENT_VECTORS`, by default
/// `../shared/vectors` from the package's root.
enum TestVectors {
  static let folder: String = {
    if let named = ProcessInfo.processInfo.environment["ASSENT_VECTORS"] { return named }
    var root = URL(filePath: #filePath)
    for _ in 0..<3 { root.deleteLastPathComponent() }
    return root.appending(path: "../shared/vectors").path
  }()

  static let jsonTestSuite = folder + "/json-test-suite/test_parsing"

  static var hasJSONTestSuite: Bool { FileManager.default.fileExists(atPath: jsonTestSuite) }

  static func files(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".json") }.sorted()
  }
}
