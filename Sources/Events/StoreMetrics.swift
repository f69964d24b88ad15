// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0

public import Metrics
public import SQLStore

/// A store's counters as metrics.
public enum StoreMetrics {
  public static func register(_ store: any SQLStore, in metrics: MetricsRegistry) {
    func counter(_ name: String, _ help: String, _ value: @escaping @Sendable (SQLStoreStatistics) -> Int) {
      metrics.reading(name, help, kind: "counter") { Double(value(store.statistics)) }
    }
    counter("assent_store_commits_total", "Durable commits") { $0.commits }
    counter("assent_store_writes_total", "Writes committed; divided by commits, how many share one") { $0.writes }
    counter("assent_store_rollbacks_total", "Writes refused or failed") { $0.rollbacks }
    counter("assent_store_reads_total", "Reads") { $0.reads }
    counter("assent_store_snapshots_total", "Read transactions these took") { $0.snapshots }
    metrics.reading("assent_store_queue_depth", "Writes that wait for their commit, or for a connection") {
      Double(store.statistics.waiting)
    }
    metrics.sizes(
      "assent_store_group_size", "Writes that shared a commit", bounds: (0..<10).map { Double(1 << $0) }
    ) {
      let statistics = store.statistics
      return (statistics.groups, Double(statistics.writes + statistics.rollbacks))
    }
  }
}
