/* SPDX-License-Identifier: Apache-2.0 */
/* Correctness fuzz: a kernel over a matrix of shapes, dtypes and input distributions against the oracle. */
#ifndef PAWL_CHECK_CHECK_H
#define PAWL_CHECK_CHECK_H

#include <stdbool.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "model/check_spec.h"
#include "model/result.h"
#include "oracle/oracle.h"
#include "worker/worker.h"

struct pawl_check_options {
  const struct pawl_worker_options *worker; /* how to start the kernel; tensors are filled in here */
  struct pawl_oracle *oracle;
  const struct pawl_check_spec *spec; /* NULL: only the cases */
  const struct pawl_case *cases;      /* the timed cases: always checked */
  size_t case_count;
  uint64_t seed;
  int threads;
  bool reduced;      /* the smallest shapes only (labelled): demos and smoke tests */
  int shard, shards; /* only the rows of shard `shard` of `shards`, from 1; 0: all */
  bool cases_only;   /* not the matrix of `spec`, whose tolerances hold all the same */
  struct pawl_log *log;
};

struct pawl_check_row {
  size_t number; /* in the matrix, from 0 */
  struct pawl_case item;
  const char *distribution;
  uint64_t seed;
  enum pawl_outcome outcome;      /* OK, WRONG, CRASHED, UNSUPPORTED */
  struct pawl_error_stats errors; /* where a comparison was made */
  const char *reason;             /* NULL when OK */
  double seconds;
};

struct pawl_check_report {
  struct pawl_check_row *rows;
  size_t count;
  size_t passed, failed, unsupported;
  struct pawl_correctness total; /* worst errors over all rows; passed: none failed and at least one passed */
  bool reduced;
};

/* A report without rows, for which there is room. */
void pawl_check_report_init(struct pawl_check_report *report, size_t room, bool reduced, struct pawl_arena *arena);
/* Adds a row to the rows and the totals. */
void pawl_check_report_add(struct pawl_check_report *report, const struct pawl_check_row *row);

/* Runs the whole matrix; a wrong or a crashing kernel is a row, not an error (the worker is started anew after a
   crash). Strings live in the arena. */
pawl_status pawl_check_kernel(const struct pawl_check_options *options, struct pawl_arena *arena,
                              struct pawl_check_report *out, struct pawl_error *err);

#endif
