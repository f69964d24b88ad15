// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ZeroMQ

/// Whether only this user can reach an endpoint.
enum IPCFolder {
  /// ipc in a folder that belongs to this user and that nobody else may enter.
  static func isPrivate(_ endpoint: String) -> Bool {
    guard let path = Endpoint.ipcPath(endpoint), let slash = path.lastIndex(of: "/") else { return false }
    let folder = path[..<slash].isEmpty ? "/" : String(path[..<slash])
    var information = stat()
    guard stat(folder, &information) == 0 else { return false }
    return information.st_uid == geteuid() && information.st_mode & 0o077 == 0
  }
}
