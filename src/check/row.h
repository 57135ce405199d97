/* SPDX-License-Identifier: Apache-2.0 */
/* One row of a check: a kernel called on one problem in the ways that tell a right one from a wrong
 * one. */
#ifndef PAWL_CHECK_ROW_H
#define PAWL_CHECK_ROW_H

#include "check/check_options.h"
#include "check/matrix.h"
#include "model/result.h"

struct pawl_check_row {
  size_t number; /* in the matrix, from 0 */
  struct pawl_case config;
  const char *distribution;
  uint64_t seed;
  enum pawl_outcome outcome; /* OK, WRONG, CRASHED, HUNG, UNSUPPORTED */
  bool not_run; /* pawl gave the kernel up before: the outcome is that of the row before */
  struct pawl_error_stats errors; /* where a comparison was made */
  const char *reason;             /* NULL when OK */
  double seconds;
};

/* The kernel under check. */
struct pawl_check_subject {
  const struct pawl_check_options *options;
  struct pawl_worker *worker; /* NULL: to be started, it has died or not lived yet */
  bool owes_hello;            /* it was launched, and not greeted yet */
  bool deterministic;         /* by the suite, else by its own words */
  struct pawl_arena *arena;   /* of the report */
};

/* Of a row without a comparison: all unknown. */
struct pawl_error_stats pawl_check_no_errors(void);

/* Starts its process and does not wait for it: a row does. */
pawl_status pawl_check_subject_launch(struct pawl_check_subject *subject, struct pawl_error *err);
/* Its process ends later, if the options say who has it end. */
void pawl_check_subject_leave(struct pawl_check_subject *subject);
void pawl_check_subject_release(struct pawl_check_subject *subject);

/* Fills row->outcome, errors, reason and seconds; item, distribution and seed are given. What the
   kernel does wrong is in the row; an error is the operator's or the machine's. */
pawl_status pawl_check_row_run(struct pawl_check_subject *subject,
                               const struct pawl_check_item *item, struct pawl_check_row *row,
                               struct pawl_error *err);

/* Tells the log of a failed row, and the command that repeats it. */
void pawl_check_row_say(struct pawl_log *log, const char *kernel, const struct pawl_check_row *row,
                        bool reduced);

#endif
