/* SPDX-License-Identifier: Apache-2.0 */
/* What one run of another harness wrote: its benchmarks, by their names. */
#ifndef PAWL_WORKER_BENCHMARKS_H
#define PAWL_WORKER_BENCHMARKS_H

#include <stdbool.h>
#include <stddef.h>

struct pawl_benchmark {
  const char *name;  /* NULL: the file holds one benchmark and gives it no name */
  double *seconds;   /* of its calls, in the order of the file, every one positive and finite */
  size_t count;      /* 0: see fault */
  const char *fault; /* why it has no times: "it was skipped: no GPU"; NULL: it has */
  bool failed;       /* the fault is an error that the harness reports of the code under test */
};

struct pawl_benchmarks {
  struct pawl_benchmark *items; /* no name comes twice */
  size_t count;
  const char *failure; /* the run ended with a status other than 0, and how; NULL: with 0 */
};

/* NULL: there is none. A NULL name is that of the one benchmark without a name. */
const struct pawl_benchmark *pawl_benchmarks_find(const struct pawl_benchmarks *benchmarks,
                                                  const char *name);

#endif
