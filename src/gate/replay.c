/* SPDX-License-Identifier: Apache-2.0 */
#include "gate/replay.h"

#include <string.h>

#include "base/count.h"
#include "gate/comparison.h"
#include "gate/discovery.h"

/* All numbers that follow from the blocks. */
static const char *const numbers[] = {
    "slowdown_pct",           "slowdown_low_pct", "slowdown_high_pct",
    "confirmed_slowdown_pct", "block_sd",         "detectable_pct",
    "blocks_counted",         "e_value",          "p"};

static bool same_number(const json_t *a, const json_t *b) {
  if (!json_is_number(a) || !json_is_number(b)) return json_is_number(a) == json_is_number(b);
  return !(json_number_value(a) < json_number_value(b)) &&
         !(json_number_value(a) > json_number_value(b));
}

static const char *show(const json_t *value, struct pawl_arena *arena) {
  return json_is_number(value) ? pawl_arena_printf(arena, "%.17g", json_number_value(value))
                               : "null";
}

static const char *difference(const json_t *recorded, const char *verdict,
                              const struct pawl_paired_test *paired, struct pawl_arena *arena) {
  PAWL_CLEANUP(pawl_json_release) json_t *recomputed = pawl_paired_test_to_json(paired);
  const char *was = json_string_value(json_object_get(recorded, "answer"));
  const bool gave_up = paired->decision == PAWL_DECISION_CONTINUE;
  const char *is = pawl_decision_name(gave_up ? PAWL_DECISION_INCONCLUSIVE : paired->decision);
  if (!was || strcmp(was, is) != 0)
    return pawl_arena_printf(arena, "answer is %s, recomputed %s", was ? was : "null", is);
  for (size_t i = 0; i < PAWL_COUNT(numbers); i++) {
    const json_t *a = json_object_get(recorded, numbers[i]),
                 *b = json_object_get(recomputed, numbers[i]);
    if (!same_number(a, b))
      return pawl_arena_printf(arena, "%s is %s, recomputed %s", numbers[i], show(a, arena),
                               show(b, arena));
  }
  /* the outcome judges a wrong or broken candidate, not its times */
  static const char *const others[] = {"dropped", "broken", "missing", "unsupported", NULL};
  for (const char *const *other = others; verdict && *other; other++) {
    if (!strcmp(verdict, *other)) return NULL;
  }
  if (verdict && !strcmp(verdict, "accepted") && paired->decision == PAWL_DECISION_REGRESSION)
    return NULL;
  if (!verdict || strcmp(verdict, is) != 0)
    return pawl_arena_printf(arena, "verdict is %s, recomputed %s", verdict ? verdict : "null", is);
  return NULL;
}

/* Returns whether blocks follow the answer, which the test cannot have seen. */
static bool goes_on_after_answer(const struct pawl_paired_test *paired) {
  size_t counting = 0;
  for (size_t i = 0; i < paired->block_count; i++) counting += !paired->blocks[i].spoiled;
  return !paired->identical && counting > paired->counted;
}

static pawl_status replay_row(const json_t *object, const char *name, struct pawl_arena *arena,
                              struct pawl_paired_test *paired, struct pawl_error *err) {
  PAWL_TRY(pawl_paired_test_from_json(object, name, arena, paired, err));
  if (pawl_paired_test_judge(paired, err) == PAWL_OK) return PAWL_OK;
  pawl_prefix(err, "%s: cannot replay kernel '%s'", name,
              paired->kernel_name ? paired->kernel_name : "?");
  return err ? err->code = PAWL_BAD_DATA : PAWL_BAD_DATA;
}

static pawl_status replay_compare(const json_t *comparison, const char *name,
                                  const struct pawl_paired_test *paired, struct pawl_arena *arena,
                                  struct pawl_replay_row *row, struct pawl_error *err) {
  const char *verdict;
  PAWL_TRY(pawl_json_get_string(comparison, "verdict", name, NULL, &verdict, err));
  *row = (struct pawl_replay_row){paired->kernel_name,
                                  paired->case_name,
                                  paired->decision,
                                  paired->counted,
                                  paired->block_count ? NULL : paired->code_hash,
                                  NULL};
  row->difference = goes_on_after_answer(paired)
                        ? "there are blocks after the block that gave the answer"
                        : difference(json_object_get(comparison, "paired"), verdict, paired, arena);
  return PAWL_OK;
}

/* Returns a text of the document in the arena, or "?". */
static const char *replay_text(const json_t *row, const char *key, struct pawl_arena *arena) {
  const char *text = json_string_value(json_object_get(row, key));
  return pawl_arena_copy(arena, text ? text : "?");
}

pawl_status pawl_replay(const json_t *document, const char *name, struct pawl_arena *arena,
                        struct pawl_replay *out, struct pawl_error *err) {
  const json_t *comparisons = json_object_get(document, "comparisons");
  const struct pawl_json_path path = PAWL_JSON_KEY(NULL, name);
  PAWL_TRY(pawl_json_check_version(document, &path, PAWL_VERDICT_SCHEMA, err));
  if (!json_is_array(comparisons))
    return pawl_fail(err, PAWL_BAD_DATA, "%s: no array 'comparisons'; is it a verdict.json?", name);
  const size_t count = json_array_size(comparisons);
  struct pawl_replay replay = {.rows = pawl_arena_alloc(arena, count + 1, sizeof *replay.rows),
                               .bare = pawl_arena_alloc(arena, count + 1, sizeof *replay.bare)};
  struct pawl_paired_test **tests = pawl_arena_alloc(arena, count + 1, sizeof *tests);
  const json_t **judged = pawl_arena_alloc(arena, count + 1, sizeof *judged);
  for (size_t i = 0; i < count; i++) {
    const json_t *item = json_array_get(comparisons, i), *paired = json_object_get(item, "paired");
    if (!json_is_object(item))
      return pawl_fail(err, PAWL_BAD_DATA, "%s: 'comparisons' must hold objects", name);
    struct pawl_paired_test *test = pawl_arena_alloc(arena, 1, sizeof *test);
    const bool bare = !paired || json_is_null(paired);
    if (!bare) PAWL_TRY(replay_row(paired, name, arena, test, err));
    if (bare || (!test->block_count && !(test->identical && test->code_hash))) {
      replay.bare[replay.bare_count++] = (struct pawl_bare_row){
          replay_text(item, "kernel_name", arena), replay_text(item, "case", arena),
          replay_text(item, "verdict", arena)};
      continue;
    }
    tests[replay.count] = test;
    judged[replay.count++] = item;
  }
  pawl_paired_tests_discover(tests, replay.count);
  for (size_t i = 0; i < replay.count; i++) {
    PAWL_TRY(replay_compare(judged[i], name, tests[i], arena, &replay.rows[i], err));
    replay.differ += replay.rows[i].difference != NULL;
  }
  *out = replay;
  return PAWL_OK;
}
