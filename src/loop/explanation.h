/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a kernel's profile, and its difference to the base, as text, JSON and files. */
#pragma once

#include "profile/summary.h"

struct pawl_explanation {
  struct pawl_profile profile, base;
  struct pawl_profile_change change;
  bool has_base; /* false: `base` and `change` have no values */
};

/* Fills in `change` if there is a base. */
void pawl_explanation_compare(struct pawl_explanation *explanation, struct pawl_arena *arena);
/* Appends the change, then the kernels. */
void pawl_explanation_text(const struct pawl_explanation *explanation, struct pawl_text *out);
json_t *pawl_explanation_json(const struct pawl_explanation *explanation);
/* Writes FOLDER/profile.txt, FOLDER/profile.json and the pictures of picture/profile_picture.h. */
pawl_status pawl_explanation_keep(const struct pawl_explanation *explanation, const char *folder,
                                  struct pawl_error *err);
