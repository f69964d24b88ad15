// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import AccountService

@Suite("Private file")
struct PrivateFileTests {
  let folder: String = {
    var template = Array("/tmp/assent-test-XXXXXX".utf8CString)
    return String(cString: mkdtemp(&template)!)
  }()

  private func mode(_ path: String) -> mode_t {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
  }

  @Test("is made once, for its owner alone")
  func create() throws {
    let path = folder + "/secret"
    #expect(try PrivateFile.read(path) == nil)
    #expect(try PrivateFile.create(path, [1, 2, 3]))
    #expect(try !PrivateFile.create(path, [4]))
    #expect(try PrivateFile.read(path) == [1, 2, 3])
    #expect(mode(path) == 0o600)
    try PrivateFile.replace(path, [5])
    #expect(try PrivateFile.read(path) == [5])
    #expect(mode(path) == 0o600)
  }

  @Test("is refused when others may read it, when it is no file, and when its folder is missing; a link is followed")
  func refused() throws {
    let path = folder + "/open"
    #expect(try PrivateFile.create(path, [1]))
    chmod(path, 0o640)
    #expect(throws: FileError.self) { try PrivateFile.read(path) }
    chmod(path, 0o600)
    symlink(path, folder + "/link")
    #expect(try PrivateFile.read(folder + "/link") == [1])
    chmod(path, 0o604)
    #expect(throws: FileError.self) { try PrivateFile.read(folder + "/link") }
    #expect(throws: FileError.self) { try PrivateFile.read(folder) }
    #expect(throws: FileError.self) { try PrivateFile.create(folder + "/missing/x", [1]) }
  }

  @Test("of signing keys is made at the first start and read at later ones")
  func signingKeys() throws {
    let file = SigningKeyFile(path: folder + "/keys.json")
    let made = try file.load()
    #expect(try file.load().current.kid == made.current.kid)
    #expect(mode(file.path) == 0o600)
    try PrivateFile.replace(file.path, Array("{}".utf8))
    #expect(throws: FileError.self) { try file.load() }
    try PrivateFile.replace(file.path, Array(#"{"keys":[{"seed":"AAAA"}]}"#.utf8))
    #expect(throws: FileError.self) { try file.load() }
  }
}
