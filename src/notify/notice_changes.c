/* SPDX-License-Identifier: Apache-2.0 */
#include "notify/notice_changes.h"

#include "base/clean.h"
#include "store/changes.h"

#define DAY 86400

static void notice_add_change(const struct pawl_listed_change *listed,
                              const struct pawl_remote_links *links, struct pawl_text *out) {
  const struct pawl_series_change *change = listed->change;
  const bool known = change->commit && !change->dirty;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text line = {0};
  pawl_text_printf(
      &line, "- %s on %s: %.1f %% %s at %.8s (%s)", listed->series->kernel_name,
      listed->series->case_name, pawl_change_size(change), pawl_change_word(listed->series, change),
      known ? change->commit : "an unknown commit", pawl_change_state_name(change->state));
  pawl_clean_text(line.data, false, out);
  pawl_text_add(out, "\n");
  if (known && links->commit) pawl_text_printf(out, "  %s%s\n", links->commit, change->commit);
}

pawl_status pawl_notice_changes(struct pawl_store *store, const struct pawl_remote_links *links,
                                time_t now, struct pawl_text *out, struct pawl_error *err) {
  const struct pawl_series_choice any = {0};
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_listed_change *changes;
  size_t count = 0, shown = 0, more = 0;
  PAWL_TRY(pawl_store_changes(store, &any, NULL, &arena, &changes, &count, err));
  for (size_t i = 0; i < count; i++) {
    const struct pawl_series_change *change = changes[i].change;
    if (change->loss_pct <= 0 || !pawl_change_state_is_open(change->state) ||
        change->time < (int64_t)now - (int64_t)PAWL_NOTICE_CHANGE_DAYS * DAY)
      continue;
    if (shown == PAWL_NOTICE_CHANGES) {
      more++;
      continue;
    }
    if (!shown++)
      pawl_text_printf(out, "Losses of the last %d days that nobody has explained:\n",
                       PAWL_NOTICE_CHANGE_DAYS);
    notice_add_change(&changes[i], links, out);
  }
  if (more) pawl_text_printf(out, "and %zu more\n", more);
  return PAWL_OK;
}
