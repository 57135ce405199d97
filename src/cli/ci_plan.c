/* SPDX-License-Identifier: Apache-2.0 */
/* pawl ci plan: the job that decides what to measure. */
#include <stdlib.h>

#include "base/file.h"
#include "cli/ci.h"
#include "forge/changed_files.h"
#include "forge/event_plan.h"
#include "forge/post.h"

#define OUTPUT_LIMIT ((size_t)1 << 20)

pawl_status pawl_ci_hand_on(const char *name, const char *value, struct pawl_error *err) {
  const char *path = getenv("GITHUB_OUTPUT");
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  if (path && *path && pawl_file_exists(path))
    PAWL_TRY(pawl_file_read(path, OUTPUT_LIMIT, &text, err));
  pawl_text_printf(&text, "%s=%s\n", name, value);
  return pawl_cli_write(path && *path ? path : NULL, pawl_text_string(&text), text.length, err);
}

/* pawl closes the check of a change that it does not measure, because an open required check blocks
   a pull request for ever. */
static void skip_other_changes(struct pawl_ci *ci, struct pawl_forge_plan *plan) {
  bool touches;
  if (!plan->measure) return;
  pawl_forge_touches(&ci->forge, ci->cli->suite, &touches);
  if (touches) return;
  plan->measure = false;
  plan->closes_check = true;
  plan->why_not = PAWL_FORGE_TOUCHES_NOTHING;
}

enum pawl_status_code pawl_ci_plan(struct pawl_ci *ci, struct pawl_error *err) {
  struct pawl_forge_settings settings;
  struct pawl_forge_plan plan;
  PAWL_TRY(pawl_ci_read_forge(ci, err));
  pawl_forge_settings_read(&ci->cli->arena, &settings);
  PAWL_TRY(pawl_forge_plan(&ci->forge, &settings, &plan, err));
  const bool unasked = plan.closes_check;
  skip_other_changes(ci, &plan);
  if (plan.why_not) pawl_log_info(&ci->cli->log, "nothing to measure: %s", plan.why_not);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text shards = {0};
  for (int i = 1; i <= plan.shards; i++) pawl_text_printf(&shards, "%s%d", i == 1 ? "[" : ",", i);
  pawl_text_add(&shards, "]");
  PAWL_TRY(pawl_ci_hand_on("measure", plan.measure ? "true" : "false", err));
  PAWL_TRY(pawl_ci_hand_on("shards", pawl_text_string(&shards), err));
  /* A fork's token cannot write, so the next workflow posts. */
  if (ci->forge.is_fork) return PAWL_OK;
  const struct pawl_forge_report nothing = {.nothing = plan.why_not, .unasked = unasked};
  if (plan.closes_check) return pawl_forge_check_end(&ci->forge, &nothing, NULL, ci->name, err);
  if (!plan.measure) return PAWL_OK;
  return pawl_forge_check_begin(&ci->forge, ci->name, err);
}
