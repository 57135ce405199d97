/* SPDX-License-Identifier: Apache-2.0 */
/* What of the suite a run measures: the kernels and the case that somebody names, and of these its
   part where several machines, or the GPUs of one, share the run. A unit is a kernel on a case;
   units go round the shards in the suite's order, so that each knows its own without asking. A
   command is one unit, of all its benchmarks where it is a harness. References are no units: they
   are timed beside the kernels. */
#ifndef PAWL_PROJECT_SELECTION_H
#define PAWL_PROJECT_SELECTION_H

#include "gate/ratchet.h"
#include "project/project.h"

struct pawl_selection {
  int number, count;     /* this is shard `number` of `count`, from 1; 0 of 0: everything */
  bool cpu_apart;        /* the last shard has what runs on no GPU, the others share the rest */
  char **kernels;        /* only these, which the suite has */
  int kernel_count;      /* 0: all */
  const char *case_name; /* only this case; NULL: all */
};

/* Whether the next unit is this shard's, of units taken one after another; *index counts what
 * shards share. */
bool pawl_selection_takes(const struct pawl_selection *selection,
                          const struct pawl_kernel_spec *spec, int64_t *index);
/* Whether a kernel on a case of the suite, or a harness on a benchmark, is this shard's. */
bool pawl_selection_has(const struct pawl_selection *selection, const struct pawl_suite *suite,
                        const char *kernel, const char *case_name);
/* Whether the reference is timed beside the kernel: of the same operator, and, where the CPU is
   apart, on the same kind of device if the operator has kernels there. */
bool pawl_selection_accompanies(const struct pawl_selection *selection,
                                const struct pawl_suite *suite,
                                const struct pawl_kernel_spec *reference,
                                const struct pawl_kernel_spec *kernel);
/* Kernels on cases of the whole suite. */
int pawl_suite_units(const struct pawl_suite *suite);
/* PAWL_USAGE: a name is a reference's, or no named kernel runs on the case. Kernels and case are
 * the suite's. */
pawl_status pawl_selection_check_names(const struct pawl_selection *selection,
                                       const struct pawl_suite *suite, struct pawl_error *err);
/* Leaves out kernels that have no case in this shard; returns how many are kept. */
size_t pawl_selection_keep_kernels(const struct pawl_selection *selection,
                                   const struct pawl_suite *suite,
                                   const struct pawl_kernel_spec **specs, size_t count);
/* Leaves out rows that are missing here because this run does not measure them. */
void pawl_selection_keep_rows(const struct pawl_selection *selection,
                              const struct pawl_suite *suite, struct pawl_ratchet_report *report);

#endif
