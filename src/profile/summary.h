/* SPDX-License-Identifier: Apache-2.0 */
/* A profile, and the difference of two, in words and as JSON (docs/schema/profile.schema.json). */
#ifndef PAWL_PROFILE_SUMMARY_H
#define PAWL_PROFILE_SUMMARY_H

#include "base/json.h"
#include "base/text.h"
#include "profile/change.h"

/* Of each kernel one headline with its evidence and what to try, then the units, the largest waits,
 * other findings. */
void pawl_profile_summary(const struct pawl_profile *profile, struct pawl_text *out);
/* What limits the kernel that takes the most time: "TITLE: EVIDENCE", and what to try; NULL: no
   rule holds. In the arena. */
void pawl_profile_limit(const struct pawl_profile *profile, struct pawl_arena *arena,
                        const char **limit, const char **remedy);
/* What changed, and the share of the change that each can explain; no share where the profile shows
   another change than the blocks did. */
void pawl_profile_change_summary(const struct pawl_profile_change *change, struct pawl_text *out);

/* `change` may be NULL. */
json_t *pawl_profile_to_json(const struct pawl_profile *profile,
                             const struct pawl_profile_change *change);

#endif
