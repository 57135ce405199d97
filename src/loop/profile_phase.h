/* SPDX-License-Identifier: Apache-2.0 */
/* The phase of a run that profiles both arms of what became slower or faster, to say why. */
#ifndef PAWL_LOOP_PROFILE_PHASE_H
#define PAWL_LOOP_PROFILE_PHASE_H

#include "loop/arm_pairs.h"
#include "record/run_report.h"

struct pawl_profiled {
  struct pawl_report_profile *items;
  size_t count;
};

/* Of each kernel the row that changed most, where the suite's `profile` asks for it, the worst
   first; files go below `folder`, where older ones are removed. What keeps a row from its profile
   is said in it and fails nothing. */
pawl_status pawl_profile_phase(struct pawl_run_context *run, const struct pawl_arm_pairs *pairs,
                               const struct pawl_ratchet_report *ratchet, const char *folder,
                               struct pawl_profiled *out, struct pawl_error *err);

#endif
