/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/benchmarks.h"

#include <string.h>

const struct pawl_benchmark *pawl_benchmarks_find(const struct pawl_benchmarks *benchmarks,
                                                  const char *name) {
  for (size_t i = 0; i < benchmarks->count; i++) {
    const char *other = benchmarks->items[i].name;
    if (name && other ? !strcmp(name, other) : name == other) return &benchmarks->items[i];
  }
  return NULL;
}
