/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the suite that a run measures: the named kernels and case, and of these its shard if
 * several machines or GPUs share the run. A unit is a kernel on a case. Shards take units in turn,
 * in the suite's order, so each shard knows its own units without communication. A command is one
 * unit, with all benchmarks of a harness. References are no units; pawl times them beside the
 * kernels. */
#pragma once

#include "gate/ratchet.h"
#include "project/project.h"

struct pawl_selection {
  int number, count; /* shard `number` of `count`, from 1; 0 of 0: the whole suite */
  bool cpu_apart; /* the last shard has the kernels without a GPU, and the others share the rest */
  char **kernels; /* only these kernels, which the suite has */
  int kernel_count;      /* 0: all kernels */
  const char *case_name; /* only this case; NULL: all */
};

/* Returns whether the next unit belongs to this shard. Call it for all units in order; *index
 * counts the units that shards share. */
bool pawl_selection_takes(const struct pawl_selection *selection,
                          const struct pawl_kernel_spec *spec, int64_t *index);
/* Returns whether a kernel on a case of the suite, or a benchmark of a harness, belongs to this
 * shard. */
bool pawl_selection_has(const struct pawl_selection *selection, const struct pawl_suite *suite,
                        const char *kernel, const char *case_name);
/* Returns whether pawl times the reference beside the kernel. Both have one operator. If the CPU is
 * apart, both also have one kind of device, if the operator has kernels there. */
bool pawl_selection_accompanies(const struct pawl_selection *selection,
                                const struct pawl_suite *suite,
                                const struct pawl_kernel_spec *reference,
                                const struct pawl_kernel_spec *kernel);
/* Counts the units of the whole suite. */
int pawl_suite_units(const struct pawl_suite *suite);
/* Fails with PAWL_USAGE for a reference's name, or if no named kernel runs on the case. The suite
 * must have the kernels and the case. */
pawl_status pawl_selection_check_names(const struct pawl_selection *selection,
                                       const struct pawl_suite *suite, struct pawl_error *err);
/* Drops kernels without a case in this shard and returns the number that remain. */
size_t pawl_selection_keep_kernels(const struct pawl_selection *selection,
                                   const struct pawl_suite *suite,
                                   const struct pawl_kernel_spec **specs, size_t count);
/* Drops rows that are missing only because this run does not measure them. */
void pawl_selection_keep_rows(const struct pawl_selection *selection,
                              const struct pawl_suite *suite, struct pawl_ratchet_report *report);
