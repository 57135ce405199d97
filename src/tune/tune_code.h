/* SPDX-License-Identifier: Apache-2.0 */
/* The hashes of the code that a search tunes. They tell a later command whether the code has
   changed. */
#pragma once

#include "base/hash.h"
#include "base/json.h"
#include "model/kernel_spec.h"

/* the name of the part for the compiler, its flags, include_dirs and libs */
#define PAWL_TUNE_CODE_FLAGS "flags"
/* not a part: the name of the change if a source is gone */
#define PAWL_TUNE_CODE_SOURCES "sources"

struct pawl_tune_code_part {
  const char *name; /* a source as in the suite, or PAWL_TUNE_CODE_FLAGS */
  const char *hash; /* PAWL_HASH_TEXT; "": pawl cannot read it */
};

struct pawl_tune_code {
  struct pawl_tune_code_part *parts;
  size_t count;
};

/* Hashes the flags and the sources of a kernel that is built from sources; other kernels have no
   parts. Headers do not count. `folder` is the folder of the suite. */
void pawl_tune_code_read(const struct pawl_kernel_spec *spec, const char *folder,
                         struct pawl_arena *arena, struct pawl_tune_code *out);
/* Makes {"kernels/a.c": "0123...", "flags": "..."}. */
json_t *pawl_tune_code_to_json(const struct pawl_tune_code *code);
/* Reads such an object. Anything else has no parts. */
void pawl_tune_code_from_json(const json_t *object, struct pawl_arena *arena,
                              struct pawl_tune_code *out);
/* Returns the name of the first part of `now` that is new or different, or PAWL_TUNE_CODE_SOURCES
 * if a part is gone. Returns NULL if nothing differs, or if one of the two has no parts. */
const char *pawl_tune_code_changed(const struct pawl_tune_code *then,
                                   const struct pawl_tune_code *now);
