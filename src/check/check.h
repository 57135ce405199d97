/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether a kernel is correct, over a matrix of shapes, dtypes and input distributions,
 * against the oracle. */
#pragma once

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
  /* The worst errors over all rows. `passed`: at least one row passed, none failed and none is left
   * out. */
  struct pawl_correctness total;
  bool reduced;
  size_t left_out;     /* rows of the matrix that the end of the budget left out */
  size_t unjudged;     /* rows that the base cannot judge; they did not pass */
  const char *unasked; /* why pawl could not ask the base for refused shapes; NULL: it could */
};

/* Makes a report without rows that has room for `room` of them. */
void pawl_check_report_init(struct pawl_check_report *report, size_t room, bool reduced,
                            struct pawl_arena *arena);
void pawl_check_report_add(struct pawl_check_report *report, const struct pawl_check_row *row);

/* Runs the whole matrix. A kernel that is wrong or crashes is a row, not an error: pawl starts
 * another worker after a crash. Strings live in the arena. */
pawl_status pawl_check_kernel(const struct pawl_check_options *options, struct pawl_arena *arena,
                              struct pawl_check_report *out, struct pawl_error *err);
