// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

import Glibc
import SQLStore
import SQLStoreSQLite
import Testing
import Threading

/// A process that is killed in the middle of group commits has lost nothing that it acknowledged.
///
/// The test binary runs itself again as the victim, which writes from 32 tasks and notes every acknowledged number in a
/// file of its own.
@Suite(.serialized, .timeLimit(.minutes(5))) struct KillTests {
  private static let table = Migration(
    version: 1, name: "start",
    sql: """
      CREATE TABLE item (app TEXT NOT NULL, id BIGINT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (app, id)) STRICT;
      CREATE TABLE twin (app TEXT NOT NULL, id BIGINT NOT NULL, PRIMARY KEY (app, id)) STRICT;
      """)

  @Test(.enabled(if: Victim.folder != nil)) func victim() async throws {
    let folder = try #require(Victim.folder)
    let store = try SQLiteStore(path: folder + "/store.db")
    try store.migrate([Self.table])
    let first = try await store.read(SQLStatement("SELECT coalesce(max(id), 0) FROM item"))[0].int(0)
    let notes = open(folder + "/acknowledged", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    let next = Lock(first)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<32 {
        group.addTask {
          while true {
            let id: Int64 = next.withLock { next in
              next += 1
              return next
            }
            do {
              try await store.write([]) { _, writes in
                writes.add("INSERT INTO item (app, id, body) VALUES ('app', $1, $2)", .integer(id), .text("body \(id)"))
                writes.add("INSERT INTO twin (app, id) VALUES ('app', $1)", .integer(id))
                // Some are refused, which must not take others with it.
                if id % 7 == 0 { throw CancellationError() }
              }
            } catch { continue }
            var line = Array("\(id)\n".utf8)
            write(notes, &line, line.count)
          }
        }
      }
    }
  }

  @Test(.disabled(if: Victim.folder != nil)) func everyAcknowledgedWriteIsThereAfterTwentyKills()
    async throws
  {
    var template = Array("/tmp/assent-kill-XXXXXX".utf8CString)
    let folder = String(cString: try #require(mkdtemp(&template)))
    defer {
      for name in ["store.db", "store.db-wal", "store.db-shm", "store.db-lock", "acknowledged"] {
        unlink("\(folder)/\(name)")
      }
      rmdir(folder)
    }
    for round in 1...20 {
      let before = acknowledged(folder).count
      let victim = try Victim.spawn("KillTests/victim", folder)
      // Killed as soon as it has acknowledged some, at no particular point.
      let wanted = before + Int.random(in: 1...400)
      while acknowledgedBytes(folder) < wanted * 5 {
        var status: CInt = 0
        guard waitpid(victim, &status, WNOHANG) == 0 else {
          Issue.record("the victim ended by itself with status \(status)")
          return
        }
        usleep(1_000)
      }
      kill(victim, SIGKILL)
      var status: CInt = 0
      #expect(waitpid(victim, &status, 0) == victim)

      let store = try SQLiteStore(path: folder + "/store.db")
      let rows = try await store.read([
        SQLStatement(
          "SELECT item.id, item.body, twin.id FROM item LEFT JOIN twin ON twin.app = item.app AND twin.id = item.id"),
        SQLStatement("SELECT count(*) FROM twin"), SQLStatement("PRAGMA integrity_check"),
      ])
      store.close()
      let told = acknowledged(folder)
      let held = Set(rows[0].map { $0.int(0) })
      #expect(told.count > before)
      #expect(told.allSatisfy { held.contains($0) }, "round \(round)")
      #expect(held.count == rows[0].count)
      #expect(
        rows[0].allSatisfy { $0.text(1) == "body \($0.int(0))" && $0.optionalInt(2) == $0.int(0) && $0.int(0) % 7 != 0 }
      )
      #expect(rows[1][0].int(0) == Int64(held.count))
      #expect(rows[2][0].text(0) == "ok")
    }
  }

  private func acknowledgedBytes(_ folder: String) -> Int {
    var status = stat()
    return stat(folder + "/acknowledged", &status) == 0 ? Int(status.st_size) : 0
  }

  private func acknowledged(_ folder: String) -> [Int64] {
    let file = open(folder + "/acknowledged", O_RDONLY)
    guard file >= 0 else { return [] }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: acknowledgedBytes(folder))
    let count = read(file, &bytes, bytes.count)
    return bytes.prefix(count).split(separator: UInt8(ascii: "\n")).compactMap {
      Int64(String(decoding: $0, as: UTF8.self))
    }
  }
}
