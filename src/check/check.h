/* SPDX-License-Identifier: Apache-2.0 */
/* Correctness fuzz: a kernel over a matrix of shapes, dtypes and input distributions against the
 * oracle. */
#ifndef PAWL_CHECK_CHECK_H
#define PAWL_CHECK_CHECK_H

#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"
#include "check/check_options.h"
#include "check/row.h"
#include "model/result.h"

struct pawl_check_report {
  struct pawl_check_row *rows;
  size_t count;
  size_t passed, failed, unsupported;
  struct pawl_correctness
      total; /* worst errors over all rows; passed: none failed and at least one passed */
  bool reduced;
};

/* A report without rows, for which there is room. */
void pawl_check_report_init(struct pawl_check_report *report, size_t room, bool reduced,
                            struct pawl_arena *arena);
/* Adds a row to the rows and the totals. */
void pawl_check_report_add(struct pawl_check_report *report, const struct pawl_check_row *row);

/* Runs the whole matrix; a wrong or a crashing kernel is a row, not an error (the worker is started
   anew after a crash). Strings live in the arena. */
pawl_status pawl_check_kernel(const struct pawl_check_options *options, struct pawl_arena *arena,
                              struct pawl_check_report *out, struct pawl_error *err);

#endif
