/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/executor.h"

#include <string.h>

#include "base/count.h"

static const struct pawl_executor *const executors[] = {&pawl_executor_local, &pawl_executor_slurm};

pawl_status pawl_executor_find(const char *name, const struct pawl_executor **out,
                               struct pawl_error *err) {
  for (size_t i = 0; i < PAWL_COUNT(executors); i++) {
    if (strcmp(name, executors[i]->name) != 0) continue;
    *out = executors[i];
    return PAWL_OK;
  }
  return pawl_fail(err, PAWL_USAGE, "no executor '%s'; use local or slurm", name);
}

void pawl_executors_sweep(struct pawl_staff *staff) {
  for (size_t i = 0; i < PAWL_COUNT(executors); i++) executors[i]->sweep(staff);
}
