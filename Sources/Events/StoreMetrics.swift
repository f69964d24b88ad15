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
    metrics.reading("assent_store_largest_group", "Most writes that shared one commit") {
      Double(store.statistics.largestGroup)
    }
  }
}
