/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/paired_advice.h"

#include "base/text.h"
#include "measure/guard.h"
#include "stats/sign_test.h"

/* Returns the slow-down that the gate must detect: `detect`, or the measured one if it is larger. A
 * speed-up needs as many blocks as the slow-down that undoes it. */
static double slowdown_to_see(const struct pawl_paired_test *paired) {
  const double measured = paired->slowdown.estimate;
  const double size = measured < 0 ? 1 / (1 + measured) - 1 : measured;
  return size > paired->policy.detect ? size : paired->policy.detect;
}

/* Returns the needed blocks, or 0 if they exceed the limit or are unknown. */
static int blocks_needed(const struct pawl_paired_test *paired) {
  PAWL_CLEANUP(pawl_sequential_release) struct pawl_sequential test = {0};
  struct pawl_sequential_policy policy = paired->policy;
  struct pawl_error ignored = {0};
  policy.max_blocks = PAWL_SIGN_MAX_BLOCKS;
  if (pawl_sequential_init(&test, &policy, &ignored) != PAWL_OK) return 0;
  return pawl_sequential_blocks_needed(&test, slowdown_to_see(paired), paired->block_sd,
                                       PAWL_PAIRED_POWER);
}

/* Appends how to get that many blocks. Without a time limit a run ends at `max_blocks`. */
static void say_how(const struct pawl_paired_test *paired, int needed, struct pawl_text *out) {
  const bool cut = paired->block_count < (size_t)paired->policy.max_blocks;
  if (needed == 0)
    pawl_text_printf(out, "more than %d blocks, so use a quieter machine or a longer case.",
                     PAWL_SIGN_MAX_BLOCKS);
  else if (needed > paired->policy.max_blocks && !cut)
    pawl_text_printf(out, "about %d blocks; set gate: {max_blocks: %d}.", needed, needed);
  else
    pawl_text_printf(out, "about %d blocks. There were %zu, so %s.", needed, paired->counted,
                     cut ? "give the run more time" : "run it again");
}

bool pawl_paired_load_spoiled(const struct pawl_paired_test *paired) {
  size_t loaded = 0, spoiled = 0;
  for (size_t i = 0; i < paired->block_count; i++) {
    const char *reason = paired->blocks[i].spoiled;
    spoiled += reason != NULL;
    loaded += reason && pawl_starts_with(reason, PAWL_CROWDED);
  }
  return spoiled > pawl_paired_spoiled_limit(&paired->policy) && 2 * loaded > spoiled;
}

/* Says what keeps the blocks from counting. Only blocks that load disturbs can count all the
   same. */
static void say_spoiled(const struct pawl_paired_test *paired, size_t spoiled,
                        struct pawl_text *out) {
  if (pawl_paired_load_spoiled(paired)) {
    pawl_text_add(
        out,
        "To decide it, stop the other programs, or commit gate: {busy: count} to the base, "
        "whose policy judges.");
    return;
  }
  const char *last = NULL;
  for (size_t i = 0; i < paired->block_count; i++)
    if (paired->blocks[i].spoiled) last = paired->blocks[i].spoiled;
  pawl_text_printf(out, "%zu of %zu blocks do not count, the last one because %s. ", spoiled,
                   paired->block_count, last);
  pawl_text_add(out, "To decide it, keep the state of the machine constant.");
}

void pawl_paired_test_advise(const struct pawl_paired_test *paired, struct pawl_text *out) {
  const size_t spoiled = paired->block_count - paired->counted;
  if (paired->identical || (paired->decision != PAWL_DECISION_INCONCLUSIVE &&
                            paired->decision != PAWL_DECISION_CONTINUE))
    return;
  if (spoiled > pawl_paired_spoiled_limit(&paired->policy)) {
    say_spoiled(paired, spoiled, out);
    return;
  }
  if (paired->drifts) {
    pawl_text_add(
        out,
        "To decide it, more blocks do not help: keep the machine's state constant "
        "(other programs, clocks, heat; 'pawl doctor' looks at them), then run it again.");
    return;
  }
  if (!(paired->block_sd > 0)) return;
  const double seen = slowdown_to_see(paired);
  const bool faster = paired->slowdown.estimate < 0 && seen > paired->policy.detect;
  const double shown = faster ? -paired->slowdown.estimate : seen;
  pawl_text_printf(
      out, "To decide it: at this noise (%.1f %% between blocks) a %s of %.*f %% needs ",
      paired->block_sd * 100, faster ? "speed-up" : "slow-down", shown < 1 ? 1 : 0, shown * 100);
  say_how(paired, blocks_needed(paired), out);
}
