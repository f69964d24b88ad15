// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
// ThreadSanitizer does not see Synchronization.Mutex on Linux (futex code in the uninstrumented standard library), so
// the lock tells it. Built with -Xcc -DASSENT_TSAN_BUILD beside --sanitize=thread; otherwise both are empty.
#ifdef ASSENT_TSAN_BUILD
extern void __tsan_acquire(void *);
extern void __tsan_release(void *);
static inline void assent_tsan_acquire(void *p) { __tsan_acquire(p); }
static inline void assent_tsan_release(void *p) { __tsan_release(p); }
#else
static inline void assent_tsan_acquire(void *p) { (void)p; }
static inline void assent_tsan_release(void *p) { (void)p; }
#endif
