// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0
//
// A latency histogram of fixed size: 128 buckets to each doubling, so that what it says is off by less than 1 %.

#pragma once

#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#define SUB_BITS 7
#define SUB_BUCKETS (1 << SUB_BITS)

struct latency {
  uint64_t count;
  uint64_t buckets[64 * SUB_BUCKETS];
};

static inline uint64_t now_nanos(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void latency_add(struct latency *latency, uint64_t nanos) {
  int shift = nanos < SUB_BUCKETS ? 0 : 63 - SUB_BITS - __builtin_clzll(nanos);
  latency->buckets[shift * SUB_BUCKETS + (nanos >> shift)]++;
  latency->count++;
}

// The nanoseconds that this share of the calls did not exceed.
static inline uint64_t latency_percentile(const struct latency *latency, double share) {
  uint64_t wanted = (uint64_t)(share * (double)latency->count), seen = 0;
  for (int i = 0; i < 64 * SUB_BUCKETS; i++) {
    seen += latency->buckets[i];
    if (seen > wanted) {
      int shift = i < 2 * SUB_BUCKETS ? 0 : i / SUB_BUCKETS - 1;
      return (uint64_t)(i - shift * SUB_BUCKETS) << shift;
    }
  }
  return 0;
}

// One line of JSON. CPU and memory are this process's own.
static inline void latency_print(const struct latency *latency, double seconds, uint64_t errors) {
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  double cpu = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
               (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
  printf("{\"calls\": %llu, \"seconds\": %.6f, \"p50Micros\": %.2f, \"p99Micros\": %.2f, \"errors\": %llu, "
         "\"cpuSeconds\": %.6f, \"peakMiB\": %.2f}\n",
         (unsigned long long)latency->count, seconds, (double)latency_percentile(latency, 0.50) / 1e3,
         (double)latency_percentile(latency, 0.99) / 1e3, (unsigned long long)errors, cpu,
         (double)used.ru_maxrss / 1024);
}
