// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
public import PostgreSQL
internal import SQLStore
internal import Threading

/// A PostgreSQL server of the test process's own: Debian's, started on a Unix socket in a temporary folder, as an
/// unprivileged user when the process is root's. Stopped and removed at the end.
public final class PostgreSQLCluster: Sendable {
  /// Of its socket.
  public let folder: String
  private let programs: String
  private let server = Lock<pid_t>(0)

  /// The one that all stores of this process share; tests that stop a server make their own.
  public static func shared() throws -> PostgreSQLCluster { try made.get() }

  private static let made = Result {
    let cluster = try PostgreSQLCluster()
    // Objects in static storage are never freed.
    atexit { (try? PostgreSQLCluster.shared())?.remove() }
    return cluster
  }

  /// - Throws: `SQLStoreError`, also when no server is installed: the tests then fail, they are not skipped.
  public init() throws {
    programs = try Self.newestPrograms()
    var template = Array("/tmp/assent-pg-XXXXXX".utf8CString)
    guard let made = mkdtemp(&template) else { throw Self.failure("no temporary folder") }
    folder = String(cString: made)
    if geteuid() == 0 {
      guard let user = getpwnam("postgres") else { throw Self.failure("no user postgres, who comes with the server") }
      chown(folder, user.pointee.pw_uid, user.pointee.pw_gid)
    }
    // Another collation than bytes, so that tests see what a store's order depends on.
    let status = try run([
      programs + "/initdb", "-D", folder + "/data", "-U", "postgres", "-A", "trust", "--encoding=UTF8",
      "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US", "--no-sync",
    ])
    guard status == 0 else { throw Self.failure("initdb ended with \(status)") }
    // A role as behind a pooler: its settings come with it, not with the connection.
    try start()
    let connection = try connect()
    try connection.execute(
      """
      ALTER ROLE postgres SET lock_timeout = '1s';
      ALTER ROLE postgres SET idle_in_transaction_session_timeout = '2s'
      """)
  }

  deinit { remove() }

  /// The path's slashes are escaped: it stands where a host's name would.
  public var url: String { "postgresql://postgres@/postgres?host=\(folder)" }

  /// A connection of the test's own.
  public func connect() throws -> Connection { try Connection(try ConnectionParameters(url: url)) }

  /// Starts the server and waits until it answers.
  public func start() throws {
    let arguments = [
      programs + "/postgres", "-D", folder + "/data", "-c", "listen_addresses=", "-c",
      "unix_socket_directories=\(folder)", "-c", "max_connections=1000", "-c", "shared_buffers=32MB",
    ]
    let (started, pid) = (WakeEvent(blocking: true), Lock<pid_t>(0))
    // The kernel ends the server with the thread that started it, so that thread stays until the server has ended.
    startThread(named: "postgres") {
      let child = Self.spawn(arguments, log: self.folder + "/log", asServer: true)
      pid.withLock { $0 = child }
      started.signal()
      var status: CInt = 0
      if child > 0 { waitpid(child, &status, 0) }
    }
    started.clear()
    let child = pid.withLock { $0 }
    server.withLock { $0 = child }
    for _ in 0..<1_500 {
      if (try? connect()) != nil { return }
      usleep(20_000)
    }
    throw Self.failure("the server does not answer; see \(folder)/log")
  }

  /// Ends the server, and with it all sessions.
  /// - Parameter crashing: as if the machine had failed: nothing is finished or written.
  public func stop(crashing: Bool = false) {
    let child = server.withLock { server in
      defer { server = 0 }
      return server
    }
    guard child > 0 else { return }
    kill(child, crashing ? SIGQUIT : SIGINT)
    // The thread that started it waits for it.
    for _ in 0..<1_500 where kill(child, 0) == 0 { usleep(10_000) }
  }

  private func remove() {
    stop(crashing: true)
    _ = try? run(["/bin/rm", "-rf", folder])
  }

  /// Runs a program to its end.
  private func run(_ arguments: [String]) throws -> CInt {
    let child = Self.spawn(arguments, log: "/dev/null", asServer: false)
    guard child > 0 else { throw Self.failure("\(arguments[0]) could not be started") }
    var status: CInt = 0
    waitpid(child, &status, 0)
    return status >> 8
  }

  /// As the user postgres when this process is root's, which the server refuses to run as.
  private static func spawn(_ arguments: [String], log: String, asServer: Bool) -> pid_t {
    var all: [String] = []
    if asServer || geteuid() == 0 { all.append("/usr/bin/setpriv") }
    if geteuid() == 0 { all += ["--reuid=postgres", "--regid=postgres", "--clear-groups"] }
    if asServer { all += ["--pdeathsig", "QUIT"] }
    all += arguments
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    posix_spawn_file_actions_adddup2(&actions, 1, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Away from the terminal's Ctrl-C, and without the signals this process blocks.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
    var argv = all.map { strdup($0) } + [nil]
    defer { for pointer in argv { free(pointer) } }
    var child = pid_t()
    return posix_spawn(&child, all[0], &actions, &attributes, &argv, environ) == 0 ? child : -1
  }

  /// The folder of the newest server's programs.
  private static func newestPrograms() throws -> String {
    var versions: [Int] = []
    if let entries = opendir("/usr/lib/postgresql") {
      while let entry = readdir(entries) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if let version = Int(name) { versions.append(version) }
      }
      closedir(entries)
    }
    guard let newest = versions.max() else {
      throw failure("no PostgreSQL server under /usr/lib/postgresql: install Debian's package postgresql")
    }
    return "/usr/lib/postgresql/\(newest)/bin"
  }

  private static func failure(_ text: String) -> SQLStoreError { SQLStoreError(.unavailable, "PostgreSQL: " + text) }
}
