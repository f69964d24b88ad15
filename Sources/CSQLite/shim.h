// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sqlite3.h>
// sqlite3_config is variadic, which Swift does not import. Without memory statistics no allocation takes a lock.
static inline int assent_sqlite_start(void) {
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  return sqlite3_initialize();
}
