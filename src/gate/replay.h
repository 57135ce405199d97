/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a verdict.json offline: recomputes every paired verdict from its blocks, bit for bit. */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "base/json.h"
#include "gate/paired_test.h"

struct pawl_replay_row {
  const char *kernel_name, *case_name;
  enum pawl_decision decision; /* recomputed */
  size_t counted;              /* the blocks that count, up to the answer */
  const char *code_hash;       /* the hash of both arms' code; NULL: blocks decide */
  const char *difference;      /* "slowdown_pct is 1.5, recomputed 2.5"; NULL: both agree */
};

/* A row whose verdict neither a block nor the hash of equal code shows: a row from before pawl
 * measured in pairs, or a forged one. The file alone cannot tell which. */
struct pawl_bare_row {
  const char *kernel_name, *case_name, *verdict;
};

struct pawl_replay {
  struct pawl_replay_row *rows; /* one for each verdict with blocks or the hash of equal code */
  struct pawl_bare_row *bare;
  size_t count, differ, bare_count;
};

/* Replays a document into the arena. If a verdict stopped after too many spoiled blocks and is
 * inconclusive, it agrees with a test that would go on. Fails with PAWL_BAD_DATA if the document is
 * not a verdict.json or lacks numbers for the replay. The message names file and key. */
pawl_status pawl_replay(const json_t *document, const char *name, struct pawl_arena *arena,
                        struct pawl_replay *out, struct pawl_error *err);
