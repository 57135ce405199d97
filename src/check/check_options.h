/* SPDX-License-Identifier: Apache-2.0 */
/* The input of a check: a kernel, its matrix and the rows to run. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/log.h"
#include "model/case.h"
#include "model/check_spec.h"
#include "oracle/oracle.h"
#include "worker/shutdown.h"
#include "worker/worker.h"

struct pawl_check_matrix;

/* Rows of the matrix by number, from 0, including both ends. */
struct pawl_check_range {
  size_t first, last;
};

struct pawl_check_options {
  /* How to start the kernel. The check fills in the tensors. */
  const struct pawl_worker_options *worker;
  struct pawl_oracle *oracle;
  const struct pawl_check_spec *spec; /* NULL: only the cases */
  const struct pawl_case *cases;      /* the timed cases: always checked */
  size_t case_count;
  uint64_t seed;
  int threads;
  bool reduced;      /* the smallest shapes only, for demos and smoke tests; the report says so */
  int shard, shards; /* only the rows of shard `shard` of `shards`, from 1; 0: all */
  const struct pawl_check_range *ranges; /* only these rows; all when there are none */
  size_t range_count;
  /* pawl calls it once, when the kernel's first process begins to start. May be NULL. */
  void (*launched)(void *context);
  /* pawl calls it before that, if the process must wait for the import of its modules. May be
   * NULL. */
  void (*waits)(void *context);
  void *context;
  /* Ends the kernel's process some time after the check. NULL: the check ends it. */
  struct pawl_shutdown *shutdown;
  /* Tells how to start the base's kernel, which pawl asks for the shapes that this kernel refuses.
   * pawl calls it at the first refusal. Returns NULL if there is no base. May be NULL. */
  const struct pawl_worker_options *(*base)(void *context);
  /* The shapes that a change must take if the base does. NULL: all shapes of the matrix. */
  const struct pawl_check_matrix *promised;
  bool cases_only; /* skips the matrix of `spec`, but its tolerances hold */
  bool says_wrong; /* logs the first wrong row at once */
  struct pawl_log *log;
};
