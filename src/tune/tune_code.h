/* SPDX-License-Identifier: Apache-2.0 */
/* The code that a search tunes, by its contents, so that a later command sees whether the code is
 * still the same. */
#ifndef PAWL_TUNE_CODE_H
#define PAWL_TUNE_CODE_H

#include "base/hash.h"
#include "base/json.h"
#include "model/kernel_spec.h"

#define PAWL_TUNE_CODE_FLAGS \
  "flags" /* the part of the compiler, its flags, include_dirs and libs */
#define PAWL_TUNE_CODE_SOURCES "sources" /* no part: what changes where a source is gone */

struct pawl_tune_code_part {
  const char *name; /* a source as the suite has it, or PAWL_TUNE_CODE_FLAGS */
  const char *hash; /* PAWL_HASH_TEXT; "": it cannot be read */
};

struct pawl_tune_code {
  struct pawl_tune_code_part *parts;
  size_t count;
};

/* The flags and the sources of a kernel that is built from sources, else nothing; headers are no
   part. `folder` is that of the suite. */
void pawl_tune_code_read(const struct pawl_kernel_spec *spec, const char *folder,
                         struct pawl_arena *arena, struct pawl_tune_code *out);
/* {"kernels/a.c": "0123...", "flags": "..."} */
json_t *pawl_tune_code_to_json(const struct pawl_tune_code *code);
/* Of such an object; anything else is no code. */
void pawl_tune_code_from_json(const json_t *object, struct pawl_arena *arena,
                              struct pawl_tune_code *out);
/* The name of the first part of `now` that is another one or new, or PAWL_TUNE_CODE_SOURCES if one
   is gone; NULL: none, or nothing is known of one of the two. */
const char *pawl_tune_code_changed(const struct pawl_tune_code *then,
                                   const struct pawl_tune_code *now);

#endif
