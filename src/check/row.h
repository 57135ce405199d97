/* SPDX-License-Identifier: Apache-2.0 */
/* One row of a check: calls a kernel on one problem in every way that can expose a wrong kernel. */
#pragma once

#include "check/check_options.h"
#include "check/matrix.h"
#include "model/result.h"

struct pawl_check_row {
  size_t number; /* in the matrix, from 0 */
  struct pawl_case config;
  const char *distribution;
  uint64_t seed;
  enum pawl_outcome outcome; /* OK, WRONG, CRASHED, HUNG, UNSUPPORTED */
  bool unjudged; /* the kernel takes the shape, but its base, which is the oracle, does not */
  bool not_run;  /* pawl stopped running the kernel: the outcome is that of the row before */
  struct pawl_error_stats errors; /* the worst of the comparisons; unknown without one */
  const char *reason;             /* NULL when OK */
  double seconds;
};

/* The kernel under check. */
struct pawl_check_subject {
  const struct pawl_check_options *options;
  struct pawl_worker *worker; /* NULL: not started yet, or dead */
  bool owes_hello;            /* launched, but not greeted yet */
  bool deterministic;         /* as the suite says, else the kernel */
  struct pawl_arena *arena;   /* the report's */
};

/* Returns the errors of a row without a comparison: all unknown. */
struct pawl_error_stats pawl_check_no_errors(void);

/* Starts the process without waiting for it. The next row waits. */
pawl_status pawl_check_subject_launch(struct pawl_check_subject *subject, struct pawl_error *err);
/* Hands the process to options->shutdown, which ends it later. Does nothing without one. */
void pawl_check_subject_leave(struct pawl_check_subject *subject);
void pawl_check_subject_release(struct pawl_check_subject *subject);

/* Fills row->outcome, errors, reason and seconds; the caller sets item, distribution and seed. A
 * fault of the kernel is in the row. An error is the operator's or the machine's. */
pawl_status pawl_check_row_run(struct pawl_check_subject *subject,
                               const struct pawl_check_item *item, struct pawl_check_row *row,
                               struct pawl_error *err);

/* Logs a failed row, and the command that repeats it. */
void pawl_check_row_say(struct pawl_log *log, const char *kernel, const struct pawl_check_row *row,
                        bool reduced);
