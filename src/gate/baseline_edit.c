/* SPDX-License-Identifier: Apache-2.0 */
/* Removes or renames entries by name, instead of an edit by hand. */
#include <string.h>

#include "base/text.h"
#include "gate/baseline.h"

static bool same(const char *wanted, const char *name) {
  return !wanted || (name && !strcmp(wanted, name));
}

static bool baseline_edit_chosen(const struct pawl_baseline_choice *choice, const char *kernel,
                                 const char *case_name, const char *hardware) {
  return same(choice->kernel_name, kernel) && same(choice->case_name, case_name) &&
         same(choice->hardware, hardware);
}

bool pawl_baseline_chosen(const struct pawl_baseline_choice *choice,
                          const struct pawl_baseline_entry *entry) {
  return baseline_edit_chosen(choice, entry->kernel_name, entry->case_name, entry->hardware);
}

/* Fails because no entry matches. Names the nearest kernel if the kernel is unknown. */
static pawl_status no_entry(const struct pawl_baseline *baseline,
                            const struct pawl_baseline_choice *choice, struct pawl_error *err) {
  const char **names = pawl_alloc(baseline->count + 1, sizeof *names);
  const char *nearest = NULL;
  size_t count = 0;
  bool known = false;
  for (size_t i = 0; i < baseline->count; i++) {
    const char *name = baseline->entries[i].kernel_name;
    if (name) names[count++] = name;
    known = known || same(choice->kernel_name, name);
  }
  if (!known) nearest = pawl_nearest(choice->kernel_name, names, count);
  pawl_free(names);
  if (nearest)
    return pawl_fail(err, PAWL_USAGE, "the baseline has no kernel '%s'; did you mean '%s'?",
                     choice->kernel_name, nearest);
  return pawl_fail(
      err, PAWL_USAGE,
      "the baseline has no entry of kernel '%s'%s%s%s%s%s%s; pawl baseline list shows them",
      choice->kernel_name, choice->case_name ? ", case '" : "",
      choice->case_name ? choice->case_name : "", choice->case_name ? "'" : "",
      choice->hardware ? ", hardware '" : "", choice->hardware ? choice->hardware : "",
      choice->hardware ? "'" : "");
}

pawl_status pawl_baseline_remove(struct pawl_baseline *baseline,
                                 const struct pawl_baseline_choice *choice, size_t *removed,
                                 struct pawl_error *err) {
  size_t kept = 0;
  for (size_t i = 0; i < baseline->count; i++)
    kept += !pawl_baseline_chosen(choice, &baseline->entries[i]);
  if (kept == baseline->count) return no_entry(baseline, choice, err);
  *removed = baseline->count - kept;
  kept = 0;
  for (size_t i = 0; i < baseline->count; i++)
    if (!pawl_baseline_chosen(choice, &baseline->entries[i]))
      baseline->entries[kept++] = baseline->entries[i];
  baseline->count = kept;
  return PAWL_OK;
}

/* Checks that no entry has the new name already. */
static pawl_status check_free(const struct pawl_baseline *baseline,
                              const struct pawl_baseline_choice *choice, const char *new_name,
                              struct pawl_error *err) {
  for (size_t i = 0; i < baseline->count; i++) {
    const struct pawl_baseline_entry *entry = &baseline->entries[i];
    if (!pawl_baseline_chosen(choice, entry)) continue;
    const char *kernel = choice->case_name ? entry->kernel_name : new_name;
    const char *case_name = choice->case_name ? new_name : entry->case_name;
    if (pawl_baseline_find(baseline, kernel, case_name, entry->hardware))
      return pawl_fail(err, PAWL_USAGE,
                       "the baseline already has kernel '%s', case '%s'; remove this entry first",
                       kernel ? kernel : "", case_name);
  }
  return PAWL_OK;
}

pawl_status pawl_baseline_rename(struct pawl_baseline *baseline,
                                 const struct pawl_baseline_choice *choice, const char *new_name,
                                 struct pawl_arena *arena, size_t *renamed,
                                 struct pawl_error *err) {
  PAWL_TRY(check_free(baseline, choice, new_name, err));
  const char *name = pawl_arena_copy(arena, new_name);
  size_t count = 0;
  for (size_t i = 0; i < baseline->count; i++) {
    struct pawl_baseline_entry *entry = &baseline->entries[i];
    if (!pawl_baseline_chosen(choice, entry)) continue;
    *(choice->case_name ? &entry->case_name : &entry->kernel_name) = name;
    entry->config.name = entry->case_name;
    count++;
  }
  if (!count) return no_entry(baseline, choice, err);
  for (size_t i = 0; i < baseline->move_count; i++) {
    struct pawl_baseline_move *move = &baseline->moves[i];
    if (!baseline_edit_chosen(choice, move->kernel_name, move->case_name, move->hardware)) continue;
    *(choice->case_name ? &move->case_name : &move->kernel_name) = name;
  }
  *renamed = count;
  return PAWL_OK;
}
