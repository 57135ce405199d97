/* SPDX-License-Identifier: Apache-2.0 */
/* What one run of another harness wrote: its benchmarks, by their names. */
#ifndef PAWL_WORKER_BENCHMARKS_H
#define PAWL_WORKER_BENCHMARKS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/result.h"

struct pawl_benchmark {
  const char *name; /* NULL: the file holds one benchmark and gives it no name */
  double *seconds;  /* of its calls, in the order of the file, each positive and finite */
  size_t count;     /* 0 unless the outcome is OK */
  /* OK; CRASHED: the harness reports an error of the code under test; NO_TIMES: the file has no
     time that pawl can read or believe; UNSUPPORTED: the harness skipped it */
  enum pawl_outcome outcome;
  const char *reason; /* of each outcome but OK: "no GPU" */
};

struct pawl_benchmarks {
  struct pawl_benchmark *items; /* no name comes twice */
  size_t count;
  const char *failure; /* the run ended with a status other than 0, and how; NULL: with 0 */
  const char *note;    /* about the file as a whole; NULL: none */
};

/* NULL: there is none. A NULL name is that of the one benchmark without a name. */
const struct pawl_benchmark *pawl_benchmarks_find(const struct pawl_benchmarks *benchmarks,
                                                  const char *name);

#endif
