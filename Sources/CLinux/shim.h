// SPDX-FileCopyrightText: 2026 The Assent Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/prctl.h>
// prctl is variadic, which Swift does not import.
static inline void assent_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }
