/* SPDX-License-Identifier: Apache-2.0 */
/* What the gate can see, from the noise that stored blocks or processes show. */
#ifndef PAWL_GATE_POWER_H
#define PAWL_GATE_POWER_H

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "stats/sequential.h"

#define PAWL_POWER_CHANGES 4
extern const double pawl_power_changes[PAWL_POWER_CHANGES]; /* 0.02, 0.03, 0.05, 0.1 */
#define PAWL_POWER_WANTED 0.9                               /* the chance that a change is called */

struct pawl_power_row {
  const char *kernel_name, *case_name;
  bool from_blocks; /* of a paired verdict; else from the processes of a result */
  size_t count;     /* blocks, or processes */
  double block_sd;  /* of a block's log-ratio; NaN: unknown */
  double visible;   /* the least slow-down that is called with PAWL_POWER_WANTED within max_blocks;
                       NaN: none */
  int needed[PAWL_POWER_CHANGES]; /* blocks for each change; 0: max_blocks are too few, or block_sd
                                     is unknown */
  double power[PAWL_POWER_CHANGES]; /* within max_blocks; NaN: unknown */
  struct pawl_sequential_policy policy;
};

struct pawl_power {
  struct pawl_power_row *rows;
  size_t count;
};

/* A verdict.json is judged by the policy that it holds; of a results.json by `policy`, with as many
   comparisons as it has timed rows. The sd of blocks is that of their log-ratios; from processes it
   is sqrt(2) times that of the logs of their medians. PAWL_BAD_DATA: neither, or nothing in it was
   timed. */
pawl_status pawl_power(const json_t *document, const char *name,
                       const struct pawl_sequential_policy *policy, struct pawl_arena *arena,
                       struct pawl_power *out, struct pawl_error *err);
json_t *pawl_power_to_json(const struct pawl_power *power);

#endif
