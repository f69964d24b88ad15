// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <malloc.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/prctl.h>
#include <linux/sched.h>
#include <sched.h>
// prctl is variadic, which Swift does not import.
static inline void assent_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
// SCHED_BATCH is not among what Swift's Glibc shows.
static inline int assent_schedule_in_batches(void) {
  struct sched_param parameters = {0};
  return sched_setscheduler(0, SCHED_BATCH, &parameters);
}
