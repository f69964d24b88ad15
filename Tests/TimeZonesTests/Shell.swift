// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
import Testing

/// What a shell command writes to its standard output, by lines.
func lines(of command: String) throws -> [Substring] {
  let pipe = try #require(popen(command, "r"))
  var bytes: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while case let count = fread(&chunk, 1, chunk.count, pipe), count > 0 { bytes += chunk[..<count] }
  let status = pclose(pipe)
  try #require(status == 0, "\(command.prefix(60)) ended with \(status)")
  return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
}
