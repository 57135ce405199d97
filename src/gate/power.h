/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the power of the gate from the noise of stored blocks or processes. */
#pragma once

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "stats/sequential.h"

#define PAWL_POWER_CHANGES 4
extern const double pawl_power_changes[PAWL_POWER_CHANGES]; /* 0.02, 0.03, 0.05, 0.1 */
#define PAWL_POWER_WANTED 0.9                               /* the wanted chance to call a change */

struct pawl_power_row {
  const char *kernel_name, *case_name;
  bool from_blocks; /* a paired verdict's blocks; false: a result's processes */
  size_t count;     /* blocks, or processes */
  double block_sd;  /* the sd of a block's log-ratio; NaN: unknown */
  /* the least slow-down that the gate calls with PAWL_POWER_WANTED within max_blocks; NaN: none */
  double visible;
  /* the blocks for each change; 0: max_blocks are too few, or block_sd is unknown */
  int needed[PAWL_POWER_CHANGES];
  double power[PAWL_POWER_CHANGES]; /* within max_blocks; NaN: unknown */
  struct pawl_sequential_policy policy;
};

struct pawl_power {
  struct pawl_power_row *rows;
  size_t count;
};

/* Computes the power of each row. A verdict.json has its own policy. A results.json uses `policy`,
 * with a comparison for each timed row. The sd of blocks is that of their log-ratios. The sd from
 * processes is sqrt(2) times that of the logs of their medians. Fails with PAWL_BAD_DATA for other
 * documents, or without a timed row. */
pawl_status pawl_power(const json_t *document, const char *name,
                       const struct pawl_sequential_policy *policy, struct pawl_arena *arena,
                       struct pawl_power *out, struct pawl_error *err);
json_t *pawl_power_to_json(const struct pawl_power *power);
