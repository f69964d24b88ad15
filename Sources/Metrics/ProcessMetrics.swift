// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What the operating system says of this process, under the names that Prometheus's own clients give it.
public enum ProcessMetrics {
  public static func register(in metrics: MetricsRegistry) {
    metrics.reading("process_cpu_seconds_total", "Processor time, user and system", kind: "counter") {
      var usage = rusage()
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
      return seconds(usage.ru_utime) + seconds(usage.ru_stime)
    }
    metrics.reading("process_resident_memory_bytes", "Resident memory") { Double(residentBytes) }
    metrics.reading("process_open_fds", "Open descriptors") { Double(openDescriptors) }
    metrics.reading("process_max_fds", "Descriptors that may be open") {
      var limit = rlimit()
      getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      return Double(limit.rlim_cur)
    }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    let startedAt = Double(now.tv_sec)
    metrics.reading("process_start_time_seconds", "When the program started, in seconds since 1970") { startedAt }
  }

  private static func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }

  /// Source: proc(5), `/proc/pid/statm`, second field.
  private static var residentBytes: Int {
    let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return 0 }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 128)
    let count = read(file, &bytes, bytes.count)
    let fields = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * Int(getpagesize()) : 0
  }

  private static var openDescriptors: Int {
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while let entry = readdir(folder) {
      if entry.pointee.d_name.0 != CChar(bitPattern: UInt8(ascii: ".")) { count += 1 }
    }
    // The folder's own is among them.
    return count - 1
  }
}
