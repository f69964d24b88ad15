// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import Configuration
internal import Cryptography
internal import Glibc

/// Names persons and devices in logs without saying who they are: an HMAC of the app and the id. Who has the key and an id
/// can find its lines; who has the lines finds nobody.
public struct SubjectRefs: Sendable {
  private let hmac: HMACSHA256

  /// - Parameter key: nil: a random one, so that the names are good within this process only.
  public init(key: [UInt8]? = nil) { hmac = HMACSHA256(key: key ?? Random.bytes(32)) }

  /// With the key in the file that `ASSENT_LOG_KEY_FILE` names, 64 hexadecimal digits: the programs that share it give a
  /// subject the same name.
  /// - Throws: `ConfigurationError`.
  public init(_ configuration: Configuration) throws(ConfigurationError) {
    let variable = "ASSENT_LOG_KEY_FILE"
    guard let path = configuration.string(variable) else {
      self.init()
      return
    }
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw ConfigurationError(key: variable, problem: "names a file that cannot be read") }
    defer { close(file) }
    guard SecretFile.isPrivate(file) else {
      throw ConfigurationError(key: variable, problem: "names a file that others may read: \(SecretFile.requirement)")
    }
    var bytes = [UInt8](repeating: 0, count: 66)
    let count = read(file, &bytes, bytes.count)
    let line = bytes.prefix(max(0, count)).prefix { $0 != 10 && $0 != 13 }
    guard line.count == 64, let key = Hex.decode(String(decoding: line, as: UTF8.self)) else {
      throw ConfigurationError(key: variable, problem: "must name a file of 64 hexadecimal digits")
    }
    self.init(key: key)
  }

  /// 32 hexadecimal digits.
  /// - Parameter subject: `a:<accountId>` or `d:<deviceId>`.
  public func ref(app: String, _ subject: String) -> String {
    // An app's name has no such byte.
    Hex.encode(hmac.authenticate(Array(app.utf8) + [0] + Array(subject.utf8)).prefix(16))
  }
}
