// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import SQLStore
import SQLStoreSQLite
import Testing
import Threading

/// A COMMIT that fails with an I/O error. Provoked by a limit on the size of files, in a process of its own.
@Suite(.timeLimit(.minutes(5))) struct FailedCommitTests {
  private static let table = Migration(
    version: 1, name: "start",
    sql: "CREATE TABLE item (app TEXT NOT NULL, id BIGINT NOT NULL, body BLOB NOT NULL, PRIMARY KEY (app, id)) STRICT;")
  private static let writers = 8

  private static func add(_ store: any SQLStore, _ id: Int, bytes: Int) async throws {
    try await store.write([]) { _, writes in
      writes.add(
        "INSERT INTO item (app, id, body) VALUES ('app', $1, $2)", SQLValue(id),
        .blob([UInt8](repeating: 7, count: bytes)))
    }
  }

  @Test(.enabled(if: Victim.folder != nil)) func victim() async throws {
    let folder = try #require(Victim.folder)
    let told = Lock<[String]>([])
    let everybodyWasTold = WakeEvent(blocking: true)
    let store = try SQLiteStore(path: folder + "/store.db") { error in
      everybodyWasTold.clear()
      var lines = Array((told.withLock { $0.sorted() } + ["handler \(error.kind)"]).joined(separator: "\n").utf8)
      // The limit is for this file too.
      let file = open(folder + "/told", O_WRONLY | O_CREAT, 0o600)
      write(file, &lines, lines.count)
      _exit(74)
    }
    try store.migrate([Self.table])
    try await Self.add(store, 0, bytes: 1)
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: 256 << 10, rlim_max: 256 << 10)
    setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    await withTaskGroup(of: Void.self) { group in
      for id in 1...Self.writers {
        group.addTask {
          do {
            try await Self.add(store, id, bytes: 300_000)
            told.withLock { $0.append("committed") }
          } catch {
            told.withLock { $0.append((error as? SQLStoreError).map { "\($0.kind)" } ?? "other") }
          }
        }
      }
    }
    everybodyWasTold.signal()
    while true { pause() }
  }

  @Test(.disabled(if: Victim.folder != nil)) func isToldAsUnknownAndEndsTheProcess() async throws {
    var template = Array("/tmp/assent-commit-XXXXXX".utf8CString)
    let folder = String(cString: try #require(mkdtemp(&template)))
    defer {
      for name in ["store.db", "store.db-wal", "store.db-shm", "store.db-lock", "told"] { unlink("\(folder)/\(name)") }
      rmdir(folder)
    }
    let victim = try Victim.spawn("FailedCommitTests/victim", folder)
    var status: CInt = 0
    #expect(waitpid(victim, &status, 0) == victim)
    #expect(status >> 8 == 74)

    var bytes = [UInt8](repeating: 0, count: 4096)
    let file = open(folder + "/told", O_RDONLY)
    let count = read(file, &bytes, bytes.count)
    close(file)
    let told = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n").map(String.init)
    // Who was in the failed group cannot know; who came after it was refused. Nobody was told that it was done.
    #expect(told.last == "handler outcomeUnknown")
    #expect(told.dropLast().count == Self.writers)
    #expect(told.dropLast().contains("outcomeUnknown"))
    #expect(told.dropLast().allSatisfy { ["outcomeUnknown", "unavailable"].contains($0) })

    let store = try SQLiteStore(path: folder + "/store.db")
    let rows = try await store.read([SQLStatement("SELECT id FROM item"), SQLStatement("PRAGMA integrity_check")])
    store.close()
    #expect(rows[0].contains { $0.int(0) == 0 })
    #expect(rows[1][0].text(0) == "ok")
  }
}
