/* SPDX-License-Identifier: Apache-2.0 */
#include "device/cpu/topology.h"

#include <stdio.h>

#include "device/cpu/cpu.h"

struct core {
  double package, core;
};

static struct core core_of(const char *root, int cpu) {
  char path[512];
  snprintf(path, sizeof path, "%s/cpu%d/topology/physical_package_id", root, cpu);
  const double package = pawl_cpu_read_number(path);
  snprintf(path, sizeof path, "%s/cpu%d/topology/core_id", root, cpu);
  return (struct core){package, pawl_cpu_read_number(path)};
}

struct pawl_cpus pawl_cpu_order_by_core(const struct pawl_cpus *cpus, const char *root,
                                        struct pawl_arena *arena) {
  struct core *cores = pawl_arena_alloc(arena, cpus->count, sizeof *cores);
  /* Counts the earlier CPUs of the same core. */
  int *earlier = pawl_arena_alloc(arena, cpus->count, sizeof *earlier);
  for (size_t i = 0; i < cpus->count; i++) {
    cores[i] = core_of(root, cpus->numbers[i]);
    for (size_t j = 0; j < i; j++)
      earlier[i] += cores[j].package == cores[i].package &&
                    cores[j].core == cores[i].core; /* unknown: NaN != NaN */
  }
  struct pawl_cpus out = {.numbers = pawl_arena_alloc(arena, cpus->count, sizeof *out.numbers)};
  for (int turn = 0; out.count < cpus->count; turn++) {
    for (size_t i = 0; i < cpus->count; i++)
      if (earlier[i] == turn) out.numbers[out.count++] = cpus->numbers[i];
  }
  return out;
}
