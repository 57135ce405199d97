/* SPDX-License-Identifier: Apache-2.0 */
/* Runs made up for the tests of report: each is what the loop would hand over. */
#pragma once

#include "gate/ratchet.h"
#include "report/report.h"
#include "results_support.h"

struct made_run {
  struct pawl_results results;
  struct pawl_ratchet_report ratchet;
  struct pawl_run_report report;
};

/* Judges `now` against a baseline made of `before`. */
static inline void judge_run(struct made_run *run, struct pawl_arena *arena,
                             struct pawl_result *before, size_t before_count,
                             struct pawl_result *now, size_t now_count) {
  const struct pawl_ratchet_options record = {.gate = {.detect = 0.03, .improve = 0.05},
                                              .update = true};
  const struct pawl_ratchet_options judge = {.gate = {.detect = 0.03, .improve = 0.05}};
  struct pawl_results old = results_of(before, before_count);
  struct pawl_baseline baseline = {0};
  struct pawl_error err = {0};
  old.commit = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
  if (pawl_ratchet(&baseline, &old, &record, arena, &run->ratchet, &err) != PAWL_OK)
    fail_msg("%s", err.message);
  run->results = results_of(now, now_count);
  if (pawl_ratchet(&baseline, &run->results, &judge, arena, &run->ratchet, &err) != PAWL_OK)
    fail_msg("%s", err.message);
  run->report = (struct pawl_run_report){.results = &run->results,
                                         .ratchet = &run->ratchet,
                                         .unpaired = true,
                                         .seconds = NAN,
                                         .cost_usd = NAN};
}
