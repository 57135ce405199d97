/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmarks that one run of another harness wrote, by name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/result.h"

struct pawl_benchmark {
  const char *name; /* NULL: the file's only benchmark, without a name */
  double *seconds;  /* the times of its calls, in the file's order; positive and finite */
  size_t count;     /* 0: it has no times, and `fault` says why */
  /* why it has no times ("it was skipped: no GPU"); NULL: it has times */
  enum pawl_outcome outcome;
  /* The harness reports the fault as an error of the code under test. */
  const char *reason;
};

struct pawl_benchmarks {
  struct pawl_benchmark *items; /* no two have the same name */
  size_t count;
  /* How the run ended with a status other than 0; NULL: with 0. */
  const char *failure;
  const char *note; /* Finds a benchmark; NULL if there is none. A NULL name means the benchmark
                       without a name. */
};

/* NULL: there is none. A NULL name is that of the one benchmark without a name. */
const struct pawl_benchmark *pawl_benchmarks_find(const struct pawl_benchmarks *benchmarks,
                                                  const char *name);
