/* SPDX-License-Identifier: Apache-2.0 */
/* What is to be checked, and how. */
#ifndef PAWL_CHECK_CHECK_OPTIONS_H
#define PAWL_CHECK_CHECK_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"
#include "model/case.h"
#include "model/check_spec.h"
#include "oracle/oracle.h"
#include "worker/shutdown.h"
#include "worker/worker.h"

/* Rows of the matrix by number, from 0, both ends too. */
struct pawl_check_range {
  size_t first, last;
};

struct pawl_check_options {
  const struct pawl_worker_options
      *worker; /* how to start the kernel; tensors are filled in here */
  struct pawl_oracle *oracle;
  const struct pawl_check_spec *spec; /* NULL: only the cases */
  const struct pawl_case *cases;      /* the timed cases: always checked */
  size_t case_count;
  uint64_t seed;
  int threads;
  bool reduced;      /* the smallest shapes only (labelled): demos and smoke tests */
  int shard, shards; /* only the rows of shard `shard` of `shards`, from 1; 0: all */
  const struct pawl_check_range *ranges; /* only the rows of these; all without any */
  size_t range_count;
  void (*launched)(
      void *context); /* once, when the kernel's first process begins to start; may be NULL */
  void *context;
  /* Gets the kernel's process in the end, and asks it to quit later; NULL: it ends then. */
  struct pawl_shutdown *shutdown;
  bool cases_only; /* not the matrix of `spec`, whose tolerances hold all the same */
  bool says_wrong; /* the log tells the first wrong row at once */
  struct pawl_log *log;
};

#endif
