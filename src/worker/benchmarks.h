/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmarks that one run of another harness wrote, by name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/result.h"

struct pawl_benchmark {
  const char *name; /* NULL: the file's only benchmark, without a name */
  double *seconds;  /* the times of its calls, in the file's order; positive and finite */
  size_t count;     /* 0 unless the outcome is OK */
  /* OK; CRASHED: the harness reports an error of the code under test; NO_TIMES: the file has no
   * time that pawl can read or believe; UNSUPPORTED: the harness skipped it */
  enum pawl_outcome outcome;
  /* for each outcome but OK: "no GPU" */
  const char *reason;
};

struct pawl_benchmarks {
  struct pawl_benchmark *items; /* no two have the same name */
  size_t count;
  /* how the run ended, with a status other than 0; NULL: with 0 */
  const char *failure;
  const char *note; /* about the file as a whole; NULL: none */
};

/* Returns a benchmark, or NULL. A NULL name means the benchmark without a name. */
const struct pawl_benchmark *pawl_benchmarks_find(const struct pawl_benchmarks *benchmarks,
                                                  const char *name);
