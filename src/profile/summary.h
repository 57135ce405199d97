/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a profile, and the difference of two profiles, in words and as JSON
   (docs/schema/profile.schema.json). */
#pragma once

#include "base/json.h"
#include "base/text.h"
#include "profile/change.h"

/* Writes for each kernel a headline with its evidence and what to try. Then come its units, its
   largest waits and its other findings. */
void pawl_profile_summary(const struct pawl_profile *profile, struct pawl_text *out);
/* Finds what limits the kernel that takes the most time. `limit` is "TITLE: EVIDENCE", `remedy` is
   what to try; both are NULL if no rule holds. `limit` lives in the arena. */
void pawl_profile_limit(const struct pawl_profile *profile, struct pawl_arena *arena,
                        const char **limit, const char **remedy);
/* Lists what changed, and the share of the time change that each item can explain. It gives no
   share if the profile shows another change than the blocks did. */
void pawl_profile_change_summary(const struct pawl_profile_change *change, struct pawl_text *out);

/* Returns a new reference. `change` may be NULL. */
json_t *pawl_profile_to_json(const struct pawl_profile *profile,
                             const struct pawl_profile_change *change);
