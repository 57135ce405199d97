/* SPDX-License-Identifier: Apache-2.0 */
/* The benchmarks of a file while an importer reads it. */
#ifndef PAWL_IMPORT_BENCHMARK_LIST_H
#define PAWL_IMPORT_BENCHMARK_LIST_H

#include "base/error.h"
#include "base/memory.h"
#include "worker/benchmarks.h"

#define PAWL_MOST_BENCHMARKS 2000 /* of a file */

/* The times of one benchmark, in seconds, every one positive and finite; where the file holds no
   single times, one figure stands for it. In the arena. */
struct pawl_times {
  double *seconds;
  size_t count;
};

/* The list, and what its functions need. */
struct pawl_benchmark_list {
  struct pawl_benchmarks all;
  const char *file; /* the format's name or the file's, for messages */
  struct pawl_arena *arena;
};

/* The benchmark of that name: appended, with neither times nor fault, where it is not there yet,
   and *is_new then. The pointer holds until the next call. A name is kept as it is, but control
   characters become blanks, and a longer one than PAWL_FIELD_NAME_BYTES is cut and ends with its
   hash. NULL: the file gives none. PAWL_BAD_DATA: there are more than PAWL_MOST_BENCHMARKS, or some
   beside one without a name. */
pawl_status pawl_benchmark_list_open(struct pawl_benchmark_list *list, const char *name,
                                     struct pawl_benchmark **out, bool *is_new,
                                     struct pawl_error *err);

/* Appends a benchmark of a format that lists each once. A second one of the name could stand for
   either: the benchmark then has a fault, and no times. */
pawl_status pawl_benchmark_list_add(struct pawl_benchmark_list *list, const char *name,
                                    const struct pawl_times *times, struct pawl_error *err);
/* The same for one without times. `failed`: by the harness's word the code under test is at fault.
 */
pawl_status pawl_benchmark_list_add_fault(struct pawl_benchmark_list *list, const char *name,
                                          bool failed, const char *fault, struct pawl_error *err);

/* The file lists the benchmark twice. */
void pawl_benchmark_repeats(struct pawl_benchmark *benchmark);
/* Sets the fault, cleaned, and drops the times. */
void pawl_benchmark_set_fault(struct pawl_benchmark *benchmark, bool failed, const char *fault,
                              struct pawl_arena *arena);

#endif
