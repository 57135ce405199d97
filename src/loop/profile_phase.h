/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles both arms of a run's slower or faster rows, to explain the change. */
#pragma once

#include "loop/code_changes.h"
#include "record/run_report.h"

struct pawl_profiled {
  struct pawl_report_profile *items;
  size_t count;
};

/* If the suite's `profile` asks for it, profiles each kernel's most changed row, the worst kernel
   first. The samples of both arms give times to the lines of `code`. Files go below `folder`, which
   loses its older ones. A row without a profile says why, and nothing fails. */
pawl_status pawl_profile_phase(struct pawl_run_context *run, const struct pawl_arm_pairs *pairs,
                               const struct pawl_ratchet_report *ratchet,
                               struct pawl_code_changes *code, const char *folder,
                               struct pawl_profiled *out, struct pawl_error *err);
