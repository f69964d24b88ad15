// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import SQLStore

/// The test binary running one of its tests in a process of its own, which may die of it.
enum Victim {
  private static let folderVariable = "ASSENT_TEST_VICTIM_FOLDER"

  /// In a victim: the folder it works in.
  static var folder: String? { getenv(folderVariable).map { String(cString: $0) } }

  /// - Parameter test: the one to run, such as `KillTests/victim`; enabled by `Victim.folder` alone.
  static func spawn(_ test: String, _ folder: String) throws -> pid_t {
    // What runs the tests now, asked for the victim alone.
    var arguments = [String]()
    let file = open("/proc/self/cmdline", O_RDONLY)
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = read(file, &bytes, bytes.count)
    close(file)
    var skipsNext = false
    for part in bytes.prefix(count).split(separator: 0) {
      let argument = String(decoding: part, as: UTF8.self)
      if skipsNext {
        skipsNext = false
      } else if ["--filter", "--skip", "--xunit-output", "--event-stream-output-path"].contains(argument) {
        skipsNext = true
      } else {
        arguments.append(argument)
      }
    }
    arguments += ["--filter", test]
    var environment: [String] = ["\(folderVariable)=\(folder)"]
    var entry = environ
    while let pointer = entry.pointee {
      environment.append(String(cString: pointer))
      entry += 1
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var argv = arguments.map { strdup($0) } + [nil]
    var envp = environment.map { strdup($0) } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var child = pid_t()
    let code = posix_spawn(&child, "/proc/self/exe", &actions, nil, &argv, &envp)
    guard code == 0 else { throw SQLStoreError(.failed, "posix_spawn", code: Int(code)) }
    return child
  }
}
