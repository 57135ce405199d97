/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of the program counter: in which instruction warps were, and why they waited there. */
#pragma once

#include <stdint.h>

#include "base/json.h"
#include "base/memory.h"

/* The samples of one instruction and one reason. */
struct pawl_code_sample {
  const char *symbol; /* the function of a GPU, mangled; "": a CPU's plug-in; else a library */
  uint64_t offset;    /* the place of the instruction in the function */
  const char *wait;   /* the reason in the profiler's words; "selected": it did not wait */
  double count;
};

struct pawl_code_samples {
  struct pawl_code_sample *items;
  size_t count;
  double total; /* the sum of all counts */
};

/* Reads the "samples" of docs/protocol.md; everything lives in the arena. Fails with PAWL_BAD_DATA
 * if the list has another form. */
pawl_status pawl_code_samples_read(const json_t *list, struct pawl_arena *arena,
                                   struct pawl_code_samples *out, struct pawl_error *err);
