/* SPDX-License-Identifier: Apache-2.0 */
/* A verdict.json checked offline: every paired verdict in it is recomputed from its blocks, bit for
 * bit. */
#ifndef PAWL_GATE_REPLAY_H
#define PAWL_GATE_REPLAY_H

#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"
#include "gate/paired_test.h"

struct pawl_replay_row {
  const char *kernel_name, *case_name;
  enum pawl_decision decision; /* recomputed */
  const char *difference;      /* "slowdown_pct is 1.5, recomputed 2.5"; NULL: all agrees */
};

struct pawl_replay {
  struct pawl_replay_row *rows; /* one for each paired verdict */
  size_t count, differ;
};

/* A verdict that stopped because too many blocks were disturbed is inconclusive, and the test would
   have gone on: the two agree. PAWL_BAD_DATA: no verdict.json, or numbers that a replay needs are
   missing; names file and key. Everything lives in the arena. */
pawl_status pawl_replay(const json_t *document, const char *name, struct pawl_arena *arena,
                        struct pawl_replay *out, struct pawl_error *err);

#endif
