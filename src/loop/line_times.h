/* SPDX-License-Identifier: Apache-2.0 */
/* Says which source lines a change of the time comes from. */
#pragma once

#include "loop/explanation.h"
#include "project/build_diff.h"
#include "record/run_report.h"

/* Divides the times of both arms among the source lines, by the samples of the program counter, and
   fills in the lines of the row: first those that add most to the change. A row without them says
   why. `diff` is NULL if the machine code is the same. */
void pawl_line_times(const struct pawl_build_diff *diff, const struct pawl_explanation *explanation,
                     double base_s, double candidate_s, struct pawl_arena *arena,
                     struct pawl_report_profile *row);

/* Returns a new reference: the "lines" of docs/schema/profile.schema.json. */
json_t *pawl_line_times_to_json(const struct pawl_report_profile *row);
