/* SPDX-License-Identifier: Apache-2.0 */
/* The time limit of an answer. It excludes time for which something else stopped the worker. It
 * also excludes time for which one of its threads waits for a CPU, up to PAWL_DEADLINE_MOST times
 * the limit. So a kernel that hangs ends after five times its limit at the latest. Linux says that
 * a thread waits, not for which one. If a kernel has more threads than CPUs, their waits for each
 * other count too. pawl cannot see the waits of ended threads, of other processes than the first,
 * or of a virtual machine for its host. */
#pragma once

#include "process/schedstat.h"
#include "worker/driver.h"

#define PAWL_DEADLINE_MOST 4
#define PAWL_DEADLINE_THREADS 64

struct pawl_deadline {
  const struct pawl_worker *worker;
  int64_t limit_ns, begin_ns, stood_ns;
  bool looked;        /* pawl has looked at the threads' waits */
  int64_t granted_ns; /* for waits for a CPU */
  size_t count;
  struct pawl_schedstat threads[PAWL_DEADLINE_THREADS];
};

struct pawl_deadline pawl_deadline_begin(const struct pawl_worker *worker, double seconds);
/* Returns the nanoseconds until the deadline, or until pawl must ask again; 0: it has passed. */
int64_t pawl_deadline_left(struct pawl_deadline *deadline);
