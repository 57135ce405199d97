/* SPDX-License-Identifier: Apache-2.0 */
#include "record/join.h"

#include "base/text.h"

/* --- the parts belong together --- */

static pawl_status check_parts(const struct pawl_stored_run *parts, const char *const *names,
                               size_t count, struct pawl_error *err) {
  const int shards = parts[0].report.shards;
  if (shards < 2)
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is a complete run, not a part of a run", names[0]);
  for (size_t i = 0; i < count; i++) {
    if (parts[i].report.shards != shards)
      return pawl_fail(err, PAWL_BAD_DATA, "'%s' and '%s' are parts of different runs", names[0],
                       names[i]);
    if (!pawl_text_equal(parts[i].results.commit, parts[0].results.commit))
      return pawl_fail(err, PAWL_BAD_DATA, "'%s' and '%s' have different commits", names[0],
                       names[i]);
    if (!pawl_text_equal(parts[i].results.hardware, parts[0].results.hardware))
      return pawl_fail(err, PAWL_BAD_DATA, "'%s' and '%s' come from different hardware", names[0],
                       names[i]);
    for (size_t j = 0; j < i; j++)
      if (parts[i].report.shard == parts[j].report.shard)
        return pawl_fail(err, PAWL_BAD_DATA, "'%s' and '%s' are both part %d", names[j], names[i],
                         parts[i].report.shard);
  }
  for (int shard = 1; shard <= shards; shard++) {
    size_t i = 0;
    while (i < count && parts[i].report.shard != shard) i++;
    if (i == count) return pawl_fail(err, PAWL_BAD_DATA, "part %d of %d is missing", shard, shards);
  }
  return PAWL_OK;
}

/* --- rows --- */

static pawl_status join_add_rows(const struct pawl_ratchet_report *part, const char *name,
                                 struct pawl_ratchet_report *all, struct pawl_error *err) {
  for (size_t i = 0; i < part->count; i++) {
    const struct pawl_comparison *item = &part->rows[i].comparison;
    for (size_t j = 0; j < all->count; j++) {
      const struct pawl_comparison *other = &all->rows[j].comparison;
      if (pawl_text_equal(item->kernel_name, other->kernel_name) &&
          pawl_text_equal(item->config.name, other->config.name))
        return pawl_fail(err, PAWL_BAD_DATA,
                         "'%s': another part already has kernel '%s' on case '%s'", name,
                         item->kernel_name ? item->kernel_name : "?",
                         item->config.name ? item->config.name : "?");
    }
    all->rows[all->count++] = part->rows[i];
  }
  return PAWL_OK;
}

/* --- builds, checks, moves, notes --- */

static void add_build(const struct pawl_report_build *build, struct pawl_report_build *all,
                      size_t *count) {
  for (size_t i = 0; i < *count; i++) {
    if (!pawl_text_equal(all[i].kernel_name, build->kernel_name)) continue;
    if (all[i].ok && !build->ok) all[i] = *build;
    return;
  }
  all[(*count)++] = *build;
}

static void add_check(const struct pawl_report_check *check, struct pawl_report_check *all,
                      size_t *count) {
  for (size_t i = 0; i < *count; i++) {
    if (!pawl_text_equal(all[i].kernel_name, check->kernel_name)) continue;
    if (all[i].report->failed < check->report->failed) all[i] = *check;
    return;
  }
  all[(*count)++] = *check;
}

static void add_notice(const char *notice, const char **all, size_t *count) {
  for (size_t i = 0; i < *count; i++)
    if (pawl_text_equal(all[i], notice)) return;
  all[(*count)++] = notice;
}

/* Adds the fields that the table marks: time and cost. */
static void add_sums(const struct pawl_run_report *part, bool first, struct pawl_run_phases *phases,
                     struct pawl_run_report *all) {
  if (!first) {
    pawl_struct_add(&pawl_verdict_fields, all, part);
    return;
  }
  all->seconds = part->seconds;
  all->cost_usd = part->cost_usd;
  if (part->phases) *phases = *part->phases;
  all->phases = part->phases ? phases : NULL;
}

struct part_counts {
  size_t rows, builds, checks, profiles, code_changes, moves, earlier_moves, notices;
};

static struct part_counts count_parts(const struct pawl_stored_run *parts, size_t count) {
  struct part_counts counts = {0};
  for (size_t i = 0; i < count; i++) {
    counts.rows += parts[i].ratchet.count;
    counts.builds += parts[i].report.build_count;
    counts.checks += parts[i].report.check_count;
    counts.profiles += parts[i].report.profile_count;
    counts.code_changes += parts[i].report.code_change_count;
    counts.moves += parts[i].report.move_count;
    counts.earlier_moves += parts[i].report.earlier_move_count;
    counts.notices += parts[i].report.notice_count;
  }
  return counts;
}

pawl_status pawl_stored_run_join(const struct pawl_stored_run *parts, const char *const *names,
                                 size_t count, struct pawl_arena *arena,
                                 struct pawl_joined_run *out, struct pawl_error *err) {
  PAWL_TRY(check_parts(parts, names, count, err));
  const struct part_counts counts = count_parts(parts, count);
  struct pawl_report_build *builds = pawl_arena_alloc(arena, counts.builds + 1, sizeof *builds);
  struct pawl_report_check *checks = pawl_arena_alloc(arena, counts.checks + 1, sizeof *checks);
  struct pawl_report_profile *profiles =
      pawl_arena_alloc(arena, counts.profiles + 1, sizeof *profiles);
  struct pawl_report_code *code_changes =
      pawl_arena_alloc(arena, counts.code_changes + 1, sizeof *code_changes);
  struct pawl_run_phases *phases = pawl_arena_alloc(arena, 1, sizeof *phases);
  struct pawl_baseline_move *moves = pawl_arena_alloc(arena, counts.moves + 1, sizeof *moves);
  struct pawl_ratchet_report ratchet = {
      .rows = pawl_arena_alloc(arena, counts.rows + 1, sizeof *ratchet.rows)};
  struct pawl_run_report all = {
      .unpaired = true, .builds = builds, .checks = checks, .profiles = profiles};
  struct pawl_baseline_move *earlier =
      pawl_arena_alloc(arena, counts.earlier_moves + 1, sizeof *earlier);
  all.code_changes = code_changes;
  all.moves = moves;
  all.earlier_moves = earlier;
  all.notices = pawl_arena_alloc(arena, counts.notices + 1, sizeof *all.notices);
  for (size_t i = 0; i < count; i++) {
    const struct pawl_run_report *part = &parts[i].report;
    PAWL_TRY(join_add_rows(&parts[i].ratchet, names[i], &ratchet, err));
    for (size_t j = 0; j < part->build_count; j++)
      add_build(&part->builds[j], builds, &all.build_count);
    for (size_t j = 0; j < part->check_count; j++)
      add_check(&part->checks[j], checks, &all.check_count);
    for (size_t j = 0; j < part->profile_count; j++)
      profiles[all.profile_count++] = part->profiles[j];
    for (size_t j = 0; j < part->code_change_count; j++)
      code_changes[all.code_change_count++] = part->code_changes[j];
    for (size_t j = 0; j < part->move_count; j++) moves[all.move_count++] = part->moves[j];
    for (size_t j = 0; j < part->earlier_move_count; j++)
      earlier[all.earlier_move_count++] = part->earlier_moves[j];
    for (size_t j = 0; j < part->notice_count; j++)
      add_notice(part->notices[j], all.notices, &all.notice_count);
    all.baseline_uncommitted = all.baseline_uncommitted || part->baseline_uncommitted;
    add_sums(part, i == 0, phases, &all);
    if (!ratchet.update_refused) ratchet.update_refused = parts[i].ratchet.update_refused;
  }
  PAWL_TRY(pawl_ratchet_discover(&ratchet, arena, err));
  for (size_t i = 0; i < ratchet.count; i++)
    pawl_ratchet_count(&ratchet, ratchet.rows[i].comparison.verdict);
  for (size_t i = 0; i < ratchet.count; i++) all.unpaired = all.unpaired && !ratchet.rows[i].paired;
  /* A part without verdicts does not count for `unpaired`. */
  bool said = false;
  for (size_t i = 0; i < count; i++) said = said || parts[i].report.unpaired;
  all.unpaired = all.unpaired && said;
  *out = (struct pawl_joined_run){.report = all, .ratchet = ratchet};
  return PAWL_OK;
}
