/* SPDX-License-Identifier: Apache-2.0 */
#include "base/philox.h"
#include "gate/power.h"
#include "gate/ratchet.h"
#include "gate/replay.h"
#include "results_support.h"
#include "stats/variates.h"

static struct pawl_arena arena;

static int clear_arena(void **state) {
  (void)state;
  pawl_arena_clear(&arena);
  return 0;
}

static void must(enum pawl_status_code status, const struct pawl_error *err) {
  if (status != PAWL_OK) fail_msg("%s", err->message);
}

/* Blocks of normal process luck around a slow-down. */
static struct pawl_paired_test blocks_of(double slowdown, double sd, size_t count, uint64_t seed) {
  struct pawl_random random = pawl_random_init(seed, 7);
  struct pawl_paired_test paired;
  pawl_paired_test_init(&paired);
  paired.kernel_name = "k";
  paired.case_name = "c";
  paired.anchor = "0123456789abcdef0123456789abcdef01234567";
  paired.anchor_kind = PAWL_ANCHOR_BASELINE;
  paired.seed = seed;
  paired.blocks = pawl_arena_alloc(&arena, count, sizeof *paired.blocks);
  paired.block_count = count;
  for (size_t i = 0; i < count; i++)
    paired.blocks[i] =
        (struct pawl_paired_block){exp(sd * pawl_draw_normal(&random)),
                                   (1 + slowdown) * exp(sd * pawl_draw_normal(&random)), NULL};
  return paired;
}

/* As the loop does: no block after the answer. */
static void judge(struct pawl_paired_test *paired) {
  struct pawl_error err = {0};
  const size_t all = paired->block_count;
  for (paired->block_count = 1;; paired->block_count++) {
    must(pawl_paired_test_judge(paired, &err), &err);
    if (paired->decision != PAWL_DECISION_CONTINUE || paired->block_count == all) return;
  }
}

/* --- judging --- */

static void test_answers(void **state) {
  (void)state;
  struct pawl_paired_test same = blocks_of(0, 0.002, 60, 1), slower = blocks_of(0.05, 0.002, 60, 2),
                          faster = blocks_of(-0.05, 0.002, 60, 3),
                          between = blocks_of(0.02, 0.05, 60, 4);
  judge(&same);
  assert_int_equal(same.decision, PAWL_DECISION_MAINTAINED);
  judge(&slower);
  assert_int_equal(slower.decision, PAWL_DECISION_REGRESSION);
  assert_int_equal(slower.counted, 12); /* 12 agreeing blocks decide at 0.1 % */
  assert_near(slower.slowdown.estimate, 0.05, 0.005);
  judge(&faster);
  assert_int_equal(faster.decision, PAWL_DECISION_IMPROVEMENT);
  judge(&between);
  assert_int_equal(between.decision, PAWL_DECISION_INCONCLUSIVE);
  assert_non_null(between.reason);
  assert_true(isnan(between.confirmed_slowdown));
}

/* Blocks that differ by far more than their median from 0: that is noise, no change near a
 * threshold. */
static void test_noise_has_its_own_reason(void **state) {
  (void)state;
  struct pawl_paired_test noisy = blocks_of(0, 0, 80, 1), near = blocks_of(0, 0, 80, 1);
  for (size_t i = 0; i < 80; i++) {
    noisy.blocks[i].candidate_ms = i % 2 ? 1.25 : 0.8;
    near.blocks[i].candidate_ms = i % 2 ? 1.25 * 1.02 * 1.02 : 0.8;
  }
  judge(&noisy);
  assert_int_equal(noisy.decision, PAWL_DECISION_INCONCLUSIVE);
  assert_near(noisy.slowdown.estimate, 0, 0.001);
  assert_string_equal(noisy.reason, "the noise is too large for this number of blocks");
  judge(&near);
  assert_int_equal(near.decision, PAWL_DECISION_INCONCLUSIVE);
  assert_near(near.slowdown.estimate, 0.02, 0.001);
  assert_string_equal(near.reason, pawl_doubt_text(PAWL_DOUBT_NOISE));
}

/* 17 blocks from +22 to +88 % that rise from one to the next all agree, and still wait. The same
   blocks in another order do not. */
static void test_an_answer_that_waits_says_that_the_blocks_drift(void **state) {
  (void)state;
  struct pawl_paired_test rising = blocks_of(0, 0.01, 17, 1), mixed = blocks_of(0, 0.01, 17, 1);
  for (size_t i = 0; i < 17; i++) {
    rising.blocks[i].base_ms = mixed.blocks[i].base_ms = 1;
    rising.blocks[i].candidate_ms = 1.22 + 0.66 * (double)i / 16;
    mixed.blocks[i].candidate_ms = 1.22 + 0.66 * (double)(i * 7 % 17) / 16;
  }
  judge(&rising);
  assert_int_equal(rising.block_count, 17);
  assert_int_equal(rising.decision, PAWL_DECISION_CONTINUE);
  assert_true(rising.drifts);
  judge(&mixed);
  assert_int_equal(mixed.decision, PAWL_DECISION_REGRESSION);
  assert_false(mixed.drifts);
}

static void test_spoiled_blocks_do_not_count(void **state) {
  (void)state;
  struct pawl_paired_test clean = blocks_of(0.05, 0.002, 12, 5);
  struct pawl_paired_test dirty = blocks_of(0.05, 0.002, 24, 5);
  for (size_t i = 0; i < 24; i++) { /* every second one is spoiled, and tells a lie */
    dirty.blocks[i] = clean.blocks[i / 2];
    if (i % 2 == 0)
      dirty.blocks[i] =
          (struct pawl_paired_block){1, 0.5, .spoiled = "other processes used 1.2 CPUs"};
  }
  judge(&clean);
  judge(&dirty);
  assert_int_equal(dirty.decision, PAWL_DECISION_REGRESSION);
  assert_int_equal(dirty.counted, clean.counted);
  assert_int_equal(dirty.block_count, 24);
  assert_near(dirty.slowdown.estimate, clean.slowdown.estimate, 0);
  for (size_t i = 0; i < 24; i++) dirty.blocks[i].spoiled = "the clock was held down";
  dirty.block_count = 20; /* a quarter of 80 */
  struct pawl_error err = {0};
  must(pawl_paired_test_judge(&dirty, &err), &err);
  assert_int_equal(dirty.counted, 0);
  assert_int_equal(dirty.decision,
                   PAWL_DECISION_CONTINUE); /* nothing is known: the caller goes on */
  dirty.block_count = 21;
  must(pawl_paired_test_judge(&dirty, &err), &err);
  assert_int_equal(dirty.decision, PAWL_DECISION_INCONCLUSIVE);
  assert_non_null(strstr(dirty.reason, "spoiled"));
}

/* Each arm is first in one of two blocks that count, however many spoiled blocks lie between
   them. */
static void test_places_are_balanced(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 20; seed++) {
    struct pawl_random random = pawl_random_init(seed, 1);
    struct pawl_paired_block blocks[100] = {0};
    int counted = 0, lead = 0, pairs[2] = {0};
    for (size_t i = 0; i < 100; i++) {
      const enum pawl_arm_order coin =
          pawl_random_below(&random, 2) ? PAWL_ORDER_BASE_FIRST : PAWL_ORDER_CANDIDATE_FIRST;
      blocks[i].order = pawl_paired_next_order(blocks, i, coin);
      if (pawl_random_below(&random, 3) == 0) blocks[i].spoiled = "the device was at 91 C";
      if (blocks[i].spoiled) continue;
      if (counted++ % 2 == 0) {
        assert_int_equal(blocks[i].order, coin);
        pairs[blocks[i].order == PAWL_ORDER_BASE_FIRST]++;
      }
      lead += blocks[i].order == PAWL_ORDER_BASE_FIRST ? 1 : -1;
      assert_int_equal(lead, counted % 2 ? lead : 0);
    }
    assert_true(pairs[0] > 5 && pairs[1] > 5);
  }
}

static void test_identical_code(void **state) {
  (void)state;
  struct pawl_paired_test paired = blocks_of(0.5, 0.001, 1, 6);
  struct pawl_error err = {0};
  struct pawl_comparison comparison = {0};
  paired.block_count = 0;
  paired.identical = true;
  must(pawl_paired_test_judge(&paired, &err), &err);
  assert_int_equal(paired.decision, PAWL_DECISION_MAINTAINED);
  assert_near(paired.slowdown.estimate, 0, 0);
  must(pawl_paired_test_compare(&paired, &arena, &comparison, &err), &err);
  assert_int_equal(comparison.verdict, PAWL_VERDICT_MAINTAINED);
  assert_string_equal(comparison.reason, "the machine code is the same");
}

static void test_bad_blocks_are_refused(void **state) {
  (void)state;
  struct pawl_paired_test paired = blocks_of(0, 0.01, 3, 8);
  struct pawl_error err = {0};
  paired.blocks[1].candidate_ms = INFINITY;
  assert_int_equal(pawl_paired_test_judge(&paired, &err), PAWL_BAD_DATA);
  paired = blocks_of(0, 0.01, 3, 8);
  paired.policy.max_blocks = 5; /* 5 agreeing blocks prove nothing at 0.1 % */
  assert_int_equal(pawl_paired_test_judge(&paired, &err), PAWL_CONFIG);
}

/* A row reports the detectable slowdown and the spread of the blocks beside the verdict. */
static void test_what_could_be_seen(void **state) {
  (void)state;
  struct pawl_paired_test same = blocks_of(0, 0.002, 60, 1), noisy = blocks_of(0, 0.05, 80, 4),
                          open = noisy;
  judge(&same);
  judge(&noisy);
  assert_true(same.equivalent && same.detectable > 0.01 && same.detectable < 0.02);
  assert_near(same.block_sd, 0.002 * sqrt(2), 0.002);
  assert_true(!noisy.equivalent && noisy.detectable > 0.05);
  open.block_count = 4; /* no answer yet */
  struct pawl_error err = {0};
  must(pawl_paired_test_judge(&open, &err), &err);
  assert_true(isnan(open.detectable) && open.block_sd > 0.02);
  PAWL_CLEANUP(pawl_json_release) json_t *object = pawl_paired_test_to_json(&same);
  assert_true(json_is_true(json_object_get(object, "equivalent")));
  assert_near(json_number_value(json_object_get(object, "detectable_pct")), same.detectable * 100,
              0);
}

/* The same kernel, measured alone: a difference of more than 10 % either way is named. */
static void test_beside_bench(void **state) {
  (void)state;
  struct pawl_paired_test paired = blocks_of(0, 0, 12, 1);
  judge(&paired);
  const double now = paired.blocks[0].candidate_ms;
  assert_null(pawl_paired_test_beside_bench(&paired, now * 1.09, NAN, 2, &arena));
  assert_null(pawl_paired_test_beside_bench(&paired, now / 1.09, NAN, 2, &arena));
  assert_non_null(
      strstr(pawl_paired_test_beside_bench(&paired, now * 1.25, NAN, 2, &arena), "alone (-20 %)"));
  assert_non_null(
      strstr(pawl_paired_test_beside_bench(&paired, now / 2, NAN, 2, &arena), "alone (+100 %):"));
  assert_non_null(strstr(pawl_paired_test_beside_bench(&paired, now / 2, 1.06, 1.9, &arena),
                         "(+100 %), on 1.1 and 1.9 CPUs:"));
  assert_null(pawl_paired_test_beside_bench(&paired, NAN, NAN, 2, &arena));
  for (size_t i = 0; i < paired.block_count; i++)
    paired.blocks[i].spoiled = "other processes used 1.2 CPUs";
  /* no block counts */
  assert_null(pawl_paired_test_beside_bench(&paired, now / 2, NAN, 2, &arena));
  paired.identical = true;
  assert_null(pawl_paired_test_beside_bench(&paired, now / 2, NAN, 2, &arena));
}

/* The base, timed again, beside the time that the baseline has of it. */
static const char *beside_entry(enum pawl_anchor_kind kind, double ms, double half) {
  struct pawl_paired_test paired = blocks_of(0, 0, 12, 1);
  paired.anchor = "0123456", paired.anchor_kind = kind;
  ms *= paired.blocks[0].base_ms, half *= paired.blocks[0].base_ms;
  const struct pawl_baseline_entry entry = {
      .median_ms = ms, .process_ci_95_low = ms - half, .process_ci_95_high = ms + half};
  return pawl_paired_test_beside_entry(&paired, &entry, &arena);
}

static void test_beside_entry(void **state) {
  (void)state;
  assert_non_null(strstr(beside_entry(PAWL_ANCHOR_BASELINE, 2, 0.1), "(-50 %)"));
  assert_null(beside_entry(PAWL_ANCHOR_BASELINE, 2, 1.5)); /* the intervals overlap */
  assert_null(beside_entry(PAWL_ANCHOR_BASELINE, 2, NAN));
  assert_null(beside_entry(PAWL_ANCHOR_MERGE_BASE, 2, 0.1)); /* another commit's entry */
}

static void test_origin_names(void **state) {
  (void)state;
  assert_string_equal(pawl_origin_name(PAWL_ORIGIN_UNKNOWN), "unknown");
  assert_string_equal(pawl_origin_name(PAWL_ORIGIN_HERE), "caused here");
  assert_string_equal(pawl_origin_name(PAWL_ORIGIN_INHERITED), "inherited");
  struct pawl_paired_test paired = blocks_of(0.05, 0.002, 60, 9);
  judge(&paired);
  PAWL_CLEANUP(pawl_json_release) json_t *unknown = pawl_paired_test_to_json(&paired);
  assert_true(json_is_null(json_object_get(unknown, "origin"))); /* unknown is not "caused here" */
  paired.origin = PAWL_ORIGIN_INHERITED;
  PAWL_CLEANUP(pawl_json_release) json_t *inherited = pawl_paired_test_to_json(&paired);
  assert_string_equal(json_string_value(json_object_get(inherited, "origin")), "inherited");
}

/* --- replay --- */

/* Through text, as a file would hold it. */
static json_t *through_text(json_t *value) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error err = {0};
  json_t *read = NULL;
  pawl_json_write_text(value, true, &text);
  json_decref(value);
  must(pawl_json_parse(text.data, text.length, "verdict.json", false, &read, &err), &err);
  return read;
}

static json_t *verdict_of(const struct pawl_paired_test *paired, const char *verdict) {
  json_t *row = json_object(), *comparisons = json_array(), *document = json_object();
  pawl_json_set_string(row, "verdict", verdict);
  pawl_json_set(row, "paired", pawl_paired_test_to_json(paired));
  json_array_append_new(comparisons, row);
  pawl_json_set(document, "comparisons", comparisons);
  return through_text(document);
}

static json_t *paired_of(json_t *document) {
  return json_object_get(json_array_get(json_object_get(document, "comparisons"), 0), "paired");
}

static struct pawl_replay replay(const json_t *document) {
  struct pawl_replay out = {0};
  struct pawl_error err = {0};
  must(pawl_replay(document, "verdict.json", &arena, &out, &err), &err);
  return out;
}

static void test_replay_bit_for_bit(void **state) {
  (void)state;
  static const double slowdowns[] = {-0.2, -0.05, -0.02, 0, 0.001, 0.02, 0.03, 0.05, 1};
  for (uint64_t seed = 0; seed < 90; seed++) {
    struct pawl_error err = {0};
    struct pawl_paired_test paired =
                                blocks_of(slowdowns[seed % 9], seed % 2 ? 0.003 : 0.03, 60, seed),
                            again;
    for (size_t i = 0; i < 60; i += 7) paired.blocks[i].spoiled = "the device was at 91 C";
    judge(&paired);
    PAWL_CLEANUP(pawl_json_release)
    json_t *document = through_text(pawl_paired_test_to_json(&paired));
    must(pawl_paired_test_from_json(document, "verdict.json", &arena, &again, &err), &err);
    must(pawl_paired_test_judge(&again, &err), &err);
    assert_int_equal(again.decision, paired.decision);
    assert_int_equal(again.counted, paired.counted);
    assert_memory_equal(&again.slowdown, &paired.slowdown,
                        sizeof again.slowdown); /* infinities and NaN too */
    assert_int_equal(again.seed, paired.seed);
    assert_string_equal(again.anchor, paired.anchor);
    const enum pawl_decision decision =
        paired.decision ? paired.decision : PAWL_DECISION_INCONCLUSIVE;
    paired.decision = decision; /* as the loop stores it when it gives up */
    PAWL_CLEANUP(pawl_json_release)
    json_t *file = verdict_of(&paired, pawl_decision_name(decision));
    assert_int_equal(replay(file).count, 1);
    assert_null(replay(file).rows[0].difference);
  }
}

/* Documents as they were recorded, by every rule there was: none is judged otherwise today. */
static void test_recorded_documents_replay(void **state) {
  (void)state;
  static const char *const names[] = {
      "tests/data/replay/rule_1.json",
      "docs/results/gate-h200/one.json",
      "docs/results/attention-h200/ratchet/22e25c9.verdict.json",
      "docs/results/attention-h200/ratchet/237aba8.verdict.json",
      "docs/results/attention-h200/ratchet/5ac477a.verdict.json",
      "docs/results/attention-h200/ratchet/e83571f.verdict.json",
      "docs/results/attention-h200/ratchet/again-a01377b.verdict.json"};
  size_t rows = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    struct pawl_error err = {0};
    PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
    must(pawl_json_read(pawl_arena_printf(&arena, PAWL_SOURCE_ROOT "/%s", names[i]), &document,
                        &err),
         &err);
    const struct pawl_replay out = replay(document);
    for (size_t row = 0; row < out.count; row++)
      if (out.rows[row].difference) fail_msg("%s: %s", names[i], out.rows[row].difference);
    rows += out.count;
  }
  assert_true(rows >= 15);
}

static void assert_differs(json_t *document, const char *words) {
  const struct pawl_replay replayed = replay(document);
  assert_int_equal(replayed.differ, 1);
  if (!strstr(replayed.rows[0].difference, words))
    fail_msg("'%s' is not in '%s'", words, replayed.rows[0].difference);
  json_decref(document);
}

static void test_replay_finds_what_was_changed(void **state) {
  (void)state;
  struct pawl_paired_test paired = blocks_of(0.05, 0.002, 60, 10);
  judge(&paired);
  json_t *document = verdict_of(&paired, "regression");
  pawl_json_set_string(paired_of(document), "answer", "maintained");
  assert_differs(document, "answer is maintained, recomputed regression");
  document = verdict_of(&paired, "regression");
  pawl_json_set_number(paired_of(document), "slowdown_pct",
                       paired.slowdown.estimate * 100 * (1 + 1e-15));
  assert_differs(document, "slowdown_pct");
  assert_differs(verdict_of(&paired, "maintained"), "verdict is maintained");
  document = verdict_of(&paired, "regression");
  json_t *blocks = json_object_get(paired_of(document), "blocks");
  json_array_append(blocks, json_array_get(blocks, 0));
  assert_differs(document, "blocks after");
  document = verdict_of(&paired, "regression");
  pawl_json_set_number(json_array_get(json_object_get(paired_of(document), "blocks"), 3),
                       "candidate_ms", 0.5);
  assert_differs(document, "answer is regression");
  document = verdict_of(&paired, "regression");
  pawl_json_set_number(json_object_get(paired_of(document), "policy"), "tolerate", 0.06);
  pawl_json_set_number(json_object_get(paired_of(document), "policy"), "detect", 0.1);
  assert_differs(document, "blocks after"); /* the looser rule was through before */
}

static void test_replay_refuses_nonsense(void **state) {
  (void)state;
  struct pawl_replay out;
  struct pawl_error err = {0};
  struct pawl_paired_test paired = blocks_of(0.05, 0.002, 60, 11);
  judge(&paired);
  static const char *const texts[] = {
      "[]",
      "{}",
      "{\"comparisons\": 3}",
      "{\"comparisons\": [3]}",
      "{\"comparisons\": [{\"paired\": 3}]}",
      "{\"comparisons\": [{\"verdict\": 3, \"paired\": {}}]}",
      "{\"comparisons\": [{\"paired\": {\"policy\": {}, \"blocks\": []}}]}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    PAWL_CLEANUP(pawl_json_release) json_t *document = NULL;
    must(pawl_json_parse(texts[i], strlen(texts[i]), "v", false, &document, &err), &err);
    assert_int_equal(pawl_replay(document, "v", &arena, &out, &err), PAWL_BAD_DATA);
  }
  static const char *const keys[] = {"base_ms", "candidate_ms"};
  static const double values[] = {0, -1, 1e-320};
  for (size_t i = 0; i < 6; i++) {
    PAWL_CLEANUP(pawl_json_release) json_t *document = verdict_of(&paired, "regression");
    json_t *block = json_array_get(json_object_get(paired_of(document), "blocks"), 0);
    pawl_json_set_number(block, keys[i % 2], values[i / 2]);
    if (values[i / 2] > 0)
      pawl_json_set_number(block, keys[1 - i % 2], 1e300); /* a ratio that overflows */
    assert_int_equal(pawl_replay(document, "v", &arena, &out, &err), PAWL_BAD_DATA);
  }
  PAWL_CLEANUP(pawl_json_release) json_t *document = verdict_of(&paired, "regression");
  pawl_json_set_number(json_object_get(paired_of(document), "policy"), "false_alarm", 0.9);
  pawl_json_set_int(json_object_get(paired_of(document), "policy"), "max_blocks", 1000000000);
  assert_int_equal(pawl_replay(document, "v", &arena, &out, &err), PAWL_BAD_DATA);
}

/* --- the ratchet --- */

static const struct pawl_ratchet_options recording = {.gate = {.detect = 0.03, .improve = 0.05},
                                                      .update = true};

static struct pawl_baseline start(void) {
  struct pawl_baseline baseline = {0};
  struct pawl_ratchet_report report;
  struct pawl_error err = {0};
  struct pawl_result first = timed_result(&arena, "k", "c", 64, 1);
  const struct pawl_results results = results_of(&first, 1);
  must(pawl_ratchet(&baseline, &results, &recording, &arena, &report, &err), &err);
  return baseline;
}

static struct pawl_ratchet_report push(struct pawl_baseline *baseline,
                                       struct pawl_paired_test *paired, double scale) {
  struct pawl_ratchet_report report;
  struct pawl_error err = {0};
  struct pawl_result next = timed_result(&arena, "k", "c", 64, scale);
  const struct pawl_results results = results_of(&next, 1);
  struct pawl_ratchet_options options = recording;
  options.paired = paired;
  options.paired_count = 1;
  paired->base_samples_ms = spread_samples(&arena, 1);
  paired->candidate_samples_ms = spread_samples(&arena, scale);
  paired->base_sample_count = paired->candidate_sample_count = SHUFFLED_SAMPLES;
  must(pawl_ratchet(baseline, &results, &options, &arena, &report, &err), &err);
  return report;
}

/* More blocks, drawn apart from the verdict's. */
static void confirm(struct pawl_paired_test *paired, double slowdown, size_t count) {
  struct pawl_error err = {0};
  const struct pawl_paired_test other = blocks_of(slowdown, 0.002, count, 77);
  paired->confirmation = other.blocks;
  paired->confirmation_count = count;
  paired->confirmed_samples_ms = spread_samples(&arena, 1 + slowdown);
  paired->confirmed_sample_count = SHUFFLED_SAMPLES;
  must(pawl_paired_test_judge(paired, &err), &err);
}

static void test_only_a_confirmation_moves_it(void **state) {
  (void)state;
  struct pawl_baseline baseline = start();
  struct pawl_paired_test paired = blocks_of(-0.2, 0.002, 60, 12);
  judge(&paired);
  assert_int_equal(paired.decision, PAWL_DECISION_IMPROVEMENT);
  struct pawl_ratchet_report report = push(&baseline, &paired, 0.8);
  assert_int_equal(report.counts[PAWL_VERDICT_IMPROVEMENT],
                   1); /* an improvement, and no move: nothing confirmed it */
  assert_int_equal(report.move_count, 0);
  confirm(&paired, -0.04, paired.counted); /* confirmed, but not above 5 % */
  assert_near(paired.confirmed_slowdown, -0.04, 0.003);
  report = push(&baseline, &paired, 0.8);
  assert_int_equal(report.counts[PAWL_VERDICT_IMPROVEMENT], 1);
  assert_int_equal(report.move_count, 0);
  confirm(&paired, -0.2, paired.counted - 1); /* too few blocks are no confirmation */
  assert_true(isnan(paired.confirmed_slowdown));
  assert_int_equal(push(&baseline, &paired, 0.8).move_count, 0);
  assert_near(baseline.entries[0].median_ms, 1.00495, 1e-12);
}

static void test_what_was_confirmed_is_stored(void **state) {
  (void)state;
  struct pawl_baseline baseline = start();
  struct pawl_paired_test paired =
      blocks_of(-0.3, 0.002, 60, 13); /* the verdict's own blocks were lucky */
  judge(&paired);
  confirm(&paired, -0.1, paired.counted);
  const struct pawl_ratchet_report report = push(&baseline, &paired, 0.7);
  assert_int_equal(report.move_count, 1);
  assert_near(baseline.entries[0].median_ms, 0.9 * 1.00495, 1e-9);
  assert_near(baseline.entries[0].samples_ms[0], 0.9, 1e-12);
  assert_int_equal(baseline.moves[1].kind, PAWL_MOVE_IMPROVEMENT);
  assert_near(baseline.moves[1].to_ms, 0.9 * 1.00495, 1e-9);
}

static void test_spoiled_confirmation_blocks_do_not_count(void **state) {
  (void)state;
  struct pawl_paired_test paired = blocks_of(-0.2, 0.002, 60, 14);
  struct pawl_error err = {0};
  judge(&paired);
  confirm(&paired, -0.2, paired.counted);
  paired.confirmation[0].spoiled = "the clock was held down";
  must(pawl_paired_test_judge(&paired, &err), &err);
  assert_true(isnan(paired.confirmed_slowdown));
}

static void test_a_loss_never_moves_it(void **state) {
  (void)state;
  struct pawl_baseline baseline = start();
  struct pawl_paired_test paired = blocks_of(0.1, 0.002, 60, 15);
  judge(&paired);
  confirm(&paired, -0.5, paired.counted); /* even so */
  struct pawl_ratchet_report report = push(&baseline, &paired, 0.5);
  assert_int_equal(report.counts[PAWL_VERDICT_REGRESSION], 1);
  assert_int_equal(report.move_count, 0);
  struct pawl_paired_test fresh = paired; /* and with no entry for it, it becomes none */
  struct pawl_baseline empty = {0};
  report = push(&empty, &fresh, 1.1);
  assert_int_equal(report.counts[PAWL_VERDICT_REGRESSION], 1);
  assert_int_equal(empty.count, 0);
}

static void test_inconclusive_keeps_it(void **state) {
  (void)state;
  struct pawl_baseline baseline = start();
  struct pawl_paired_test paired = blocks_of(0, 0.001, 60, 16);
  for (size_t i = 0; i < 60; i++)
    paired.blocks[i].candidate_ms *= i % 2 ? 1.2 : 0.8; /* two modes */
  judge(&paired);
  assert_int_equal(paired.decision, PAWL_DECISION_INCONCLUSIVE);
  const struct pawl_ratchet_report report =
      push(&baseline, &paired, 0.5); /* whatever the unpaired figures say */
  assert_int_equal(report.counts[PAWL_VERDICT_INCONCLUSIVE], 1);
  assert_int_equal(report.move_count, 0);
}

/* --- power --- */

static void test_power_from_blocks(void **state) {
  (void)state;
  struct pawl_error err = {0};
  struct pawl_power power;
  const struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  struct pawl_paired_test quiet = blocks_of(0, 0.004, 60, 17), loud = blocks_of(0, 0.04, 60, 17);
  PAWL_CLEANUP(pawl_json_release)
  json_t *a = verdict_of(&quiet, "maintained"), *b = verdict_of(&loud, "maintained");
  must(pawl_power(a, "v", &policy, &arena, &power, &err), &err);
  assert_int_equal(power.count, 1);
  assert_true(power.rows[0].from_blocks);
  assert_near(power.rows[0].block_sd, 0.004 * sqrt(2), 0.0015);
  assert_int_equal(power.rows[0].needed[2],
                   12); /* 5 % on a quiet machine: the fewest that can prove it */
  assert_true(power.rows[0].visible > 0.01 && power.rows[0].visible < 0.03);
  must(pawl_power(b, "v", &policy, &arena, &power, &err), &err);
  assert_int_equal(power.rows[0].needed[0], 0); /* 2 % at 5.6 % of noise: not within 60 blocks */
  assert_true(power.rows[0].visible > 0.03);
}

static void test_power_refuses_what_was_not_measured(void **state) {
  (void)state;
  struct pawl_error err = {0};
  struct pawl_power power;
  const struct pawl_sequential_policy policy = pawl_sequential_default_policy();
  struct pawl_paired_test paired = blocks_of(0, 0.01, 1, 18);
  paired.identical = true;
  PAWL_CLEANUP(pawl_json_release) json_t *document = verdict_of(&paired, "maintained");
  assert_int_equal(pawl_power(document, "v", &policy, &arena, &power, &err), PAWL_BAD_DATA);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(test_answers, clear_arena),
      cmocka_unit_test_teardown(test_noise_has_its_own_reason, clear_arena),
      cmocka_unit_test_teardown(test_an_answer_that_waits_says_that_the_blocks_drift, clear_arena),
      cmocka_unit_test_teardown(test_spoiled_blocks_do_not_count, clear_arena),
      cmocka_unit_test_teardown(test_places_are_balanced, clear_arena),
      cmocka_unit_test_teardown(test_identical_code, clear_arena),
      cmocka_unit_test_teardown(test_bad_blocks_are_refused, clear_arena),
      cmocka_unit_test_teardown(test_what_could_be_seen, clear_arena),
      cmocka_unit_test_teardown(test_beside_bench, clear_arena),
      cmocka_unit_test_teardown(test_beside_entry, clear_arena),
      cmocka_unit_test_teardown(test_origin_names, clear_arena),
      cmocka_unit_test_teardown(test_replay_bit_for_bit, clear_arena),
      cmocka_unit_test_teardown(test_recorded_documents_replay, clear_arena),
      cmocka_unit_test_teardown(test_replay_finds_what_was_changed, clear_arena),
      cmocka_unit_test_teardown(test_replay_refuses_nonsense, clear_arena),
      cmocka_unit_test_teardown(test_only_a_confirmation_moves_it, clear_arena),
      cmocka_unit_test_teardown(test_what_was_confirmed_is_stored, clear_arena),
      cmocka_unit_test_teardown(test_spoiled_confirmation_blocks_do_not_count, clear_arena),
      cmocka_unit_test_teardown(test_a_loss_never_moves_it, clear_arena),
      cmocka_unit_test_teardown(test_inconclusive_keeps_it, clear_arena),
      cmocka_unit_test_teardown(test_power_from_blocks, clear_arena),
      cmocka_unit_test_teardown(test_power_refuses_what_was_not_measured, clear_arena),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
