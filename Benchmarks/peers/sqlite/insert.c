// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the disk allows one writer who waits for each commit: single-row transactions, WAL, synchronous=FULL.
//
//   insert FILE SECONDS
//
// Prints one line of JSON (latency.h).

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

#include "../../load/latency.h"

static void check(int code, sqlite3 *database) {
  if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
  fprintf(stderr, "insert: %s\n", sqlite3_errmsg(database));
  exit(1);
}

int main(int argc, char **argv) {
  if (argc != 3) {
    fprintf(stderr, "usage: insert FILE SECONDS\n");
    return 2;
  }
  double seconds = atof(argv[2]);
  sqlite3 *database;
  check(sqlite3_open(argv[1], &database), database);
  check(sqlite3_exec(database,
                     "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                     "CREATE TABLE decision(id INTEGER PRIMARY KEY, account TEXT, category TEXT, granted INT, at INT)",
                     NULL, NULL, NULL),
        database);
  sqlite3_stmt *insert;
  check(sqlite3_prepare_v2(database, "INSERT INTO decision(account, category, granted, at) VALUES(?, 'analytics', 1, ?)",
                           -1, &insert, NULL),
        database);
  static struct latency latency;
  uint64_t begin = now_nanos(), end = begin + (uint64_t)(seconds * 1e9), at = begin;
  while (at < end) {
    char account[32];
    int length = snprintf(account, sizeof account, "account-%llu", (unsigned long long)latency.count % 10000);
    sqlite3_bind_text(insert, 1, account, length, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 2, (sqlite3_int64)at);
    check(sqlite3_step(insert), database);
    sqlite3_reset(insert);
    uint64_t done = now_nanos();
    latency_add(&latency, done - at);
    at = done;
  }
  latency_print(&latency, (at - begin) / 1e9, 0);
  sqlite3_finalize(insert);
  sqlite3_close(database);
  return 0;
}
