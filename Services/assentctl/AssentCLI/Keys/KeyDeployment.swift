// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import RPCZeroMQ
internal import SettingsContracts
internal import ZeroMQ

/// The keys of a deployment: a folder for each program with its pairs and the list of its peers, which follows from the
/// pairs of all.
struct KeyDeployment {
  private struct Program {
    let name: String
    let role: PeerRole
    /// The one in use first.
    var pairs: [CurveKeyPair]
    var isChanged = false
  }

  private let folder: String
  private var programs: [Program] = []

  /// Reads what is there; what is missing is made by `write()`.
  /// - Throws: `UsageError`.
  init(_ folder: String) throws(UsageError) {
    self.folder = folder
    for name in ServiceMap.services { try add(name, .service(name)) }
    try add("gateway", .gateway)
    try add("operator", .operator)
    for name in KeyDeployment.clients(in: folder) { try addClient(name) }
  }

  /// In order of name within their kind.
  var publicKeys: [(name: String, keys: [CurvePublicKey])] { programs.map { ($0.name, $0.pairs.map(\.publicKey)) } }

  mutating func addClient(_ name: String) throws(UsageError) {
    guard let role = PeerRole("client:\(name)") else {
      throw UsageError("--client must be 1 to 64 of A-Z a-z 0-9 . _ -")
    }
    guard !programs.contains(where: { $0.role == role }) else { return }
    try add("client-\(name)", role)
  }

  /// A new pair in front of the one that is there.
  mutating func rotate(_ name: String) throws(UsageError) {
    let index = try index(of: name)
    guard programs[index].pairs.count == 1 else {
      throw UsageError("\(name) has an old pair still: --retire \(name) first")
    }
    programs[index].pairs.insert(try KeyDeployment.newPair(), at: 0)
    programs[index].isChanged = true
  }

  mutating func retire(_ name: String) throws(UsageError) {
    let index = try index(of: name)
    guard programs[index].pairs.count > 1 else { throw UsageError("\(name) has no old pair") }
    programs[index].pairs.removeLast(programs[index].pairs.count - 1)
    programs[index].isChanged = true
  }

  /// Peers' lists first, so that whoever is met with a new key has heard of it, more or less.
  func write() throws(UsageError) {
    guard mkdir(folder, 0o700) == 0 || errno == EEXIST else { throw FileBytes.failure(folder, "made") }
    for program in programs {
      let path = "\(folder)/\(program.name)"
      guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw FileBytes.failure(path, "made") }
      try KeyDeployment.replace("\(path)/curve.peers", peers(of: program), mode: 0o644)
    }
    for program in programs where program.isChanged {
      try KeyDeployment.replace(
        keyPath(program.name), KeyPairFile.text(program.pairs, note: KeyDeployment.note(program.name)), mode: 0o600)
    }
  }

  /// A new file of one's own.
  static func create(_ path: String, _ pairs: [CurveKeyPair], note: String) throws(UsageError) {
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw FileBytes.failure(path, "created") }
    defer { close(file) }
    guard FileBytes.write(Array(KeyPairFile.text(pairs, note: note).utf8), to: file), fsync(file) == 0 else {
      throw FileBytes.failure(path, "written")
    }
  }

  private mutating func add(_ name: String, _ role: PeerRole) throws(UsageError) {
    let path = keyPath(name)
    if access(path, F_OK) == 0 {
      let text = String(decoding: try FileBytes.read(path), as: UTF8.self)
      do {
        programs.append(Program(name: name, role: role, pairs: try KeyPairFile.pairs(in: text, path: path)))
      } catch {
        throw UsageError("\(error)")
      }
    } else {
      programs.append(Program(name: name, role: role, pairs: [try KeyDeployment.newPair()], isChanged: true))
    }
  }

  private func index(of name: String) throws(UsageError) -> Int {
    guard let index = programs.firstIndex(where: { $0.name == name }) else {
      throw UsageError("\(name) is none of \(programs.map(\.name).joined(separator: ", "))")
    }
    return index
  }

  private func keyPath(_ name: String) -> String { "\(folder)/\(name)/curve.key" }

  private static func note(_ name: String) -> String {
    "CURVE key pairs of \(name): keep them secret. The first is in use, the others are served still."
  }

  private static func newPair() throws(UsageError) -> CurveKeyPair {
    do {
      return try CurveKeyPair.generate()
    } catch {
      throw UsageError("no key can be made: \(error)")
    }
  }

  /// Whom a program knows: lets in, or calls.
  private func peers(of program: Program) -> String {
    let known = programs.filter { other in
      switch (program.role, other.role) {
      case (.client, .gateway): true
      case (.client, _): false
      case (.gateway, _): true
      case (_, .client): false
      default: true
      }
    }
    let lines = known.flatMap { peer in peer.pairs.map { "\(peer.role) \($0.publicKey)\n" } }
    return "# Whom \(program.name) knows, by CURVE key; written by assentctl keygen.\n" + lines.joined()
  }

  /// The clients that have a folder.
  private static func clients(in folder: String) -> [String] {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasPrefix("client-"), access("\(folder)/\(name)/curve.key", F_OK) == 0 {
        names.append(String(name.dropFirst("client-".count)))
      }
    }
    return names.sorted()
  }

  /// Replaces a file whole: a running program reads the old or the new one. It belongs to whom its folder does, so that
  /// an administrator may do this for others.
  private static func replace(_ path: String, _ text: String, mode: mode_t) throws(UsageError) {
    let draft = path + ".new"
    unlink(draft)
    let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
    guard file >= 0 else { throw FileBytes.failure(draft, "created") }
    defer { close(file) }
    var owner = stat()
    if geteuid() == 0, stat(String(path[..<path.lastIndex(of: "/")!]), &owner) == 0 {
      _ = fchown(file, owner.st_uid, owner.st_gid)
    }
    guard FileBytes.write(Array(text.utf8), to: file), fsync(file) == 0, rename(draft, path) == 0 else {
      throw FileBytes.failure(path, "written")
    }
  }
}
