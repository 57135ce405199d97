/* SPDX-License-Identifier: Apache-2.0 */
/* The search for the first changed commit, over simulated histories. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "stats/bisection.h"
#include "stats/variates.h"

enum { COMMITS = 128, MOST_BLOCKS = 40, TRIALS = 400 };

struct history {
  size_t culprit;
  double change, sd; /* log-ratios */
  double builds;     /* sd of the speed of builds */
  double wild;       /* the chance of a block that another process disturbs */
  double assumed;    /* the change that the search expects, as a share of the true one */
  bool testable[COMMITS + 1];
};

struct trial {
  struct pawl_bisection_range answer;
  size_t blocks, commits;
};

static void measure(const struct history *history, size_t commit, struct pawl_random *random,
                    double offset, double *log_ratio) {
  const bool changed = commit >= history->culprit;
  *log_ratio = (changed ? history->change : 0) + offset + history->sd * pawl_draw_normal(random);
  if (pawl_random_double(random) < history->wild)
    *log_ratio += 10 * history->sd * pawl_draw_normal(random);
}

/* Searches as pawl does: it visits the commit that splits the weight best, until a range is
   probable enough. */
static struct trial play(const struct history *history, uint64_t seed) {
  static double ratios[COMMITS + 1][MOST_BLOCKS];
  double evidence[COMMITS + 1] = {0}, weights[COMMITS + 1], offsets[COMMITS + 1],
                            scratch[MOST_BLOCKS];
  size_t counts[COMMITS + 1] = {0};
  struct pawl_random random = pawl_random_init(seed, 0);
  const struct pawl_bisection search = {COMMITS, evidence, NULL, history->testable};
  struct trial trial = {0};
  for (size_t i = 0; i <= COMMITS; i++) offsets[i] = history->builds * pawl_draw_normal(&random);
  for (;;) {
    pawl_bisection_weights(&search, weights);
    trial.answer = pawl_bisection_range(&search, weights);
    const size_t next = pawl_bisection_next(&search, weights);
    if (trial.answer.probability >= PAWL_BISECTION_ENOUGH || !next) return trial;
    if (counts[next] + PAWL_BISECTION_BLOCKS > MOST_BLOCKS) return trial;
    trial.commits += counts[next] == 0;
    for (int i = 0; i < PAWL_BISECTION_BLOCKS; i++, trial.blocks++)
      measure(history, next, &random, offsets[next], &ratios[next][counts[next]++]);
    evidence[next] = pawl_bisection_evidence(
        ratios[next], counts[next], history->assumed * history->change, history->sd, scratch);
  }
}

static struct history usual(double change, double sd) {
  struct history history = {.change = change, .sd = sd, .assumed = 1};
  memset(history.testable, true, sizeof history.testable);
  return history;
}

/* Returns how many of TRIALS find the culprit, which lies anywhere. */
static int found(struct history history, double *mean_blocks, double *mean_commits) {
  int right = 0;
  *mean_blocks = *mean_commits = 0;
  for (int i = 0; i < TRIALS; i++) {
    struct pawl_random random = pawl_random_init((uint64_t)i, 1);
    history.culprit = 1 + pawl_random_below(&random, COMMITS);
    const struct trial trial = play(&history, (uint64_t)i);
    right += trial.answer.after < history.culprit && history.culprit <= trial.answer.last &&
             trial.answer.last - trial.answer.after == 1;
    *mean_blocks += (double)trial.blocks / TRIALS;
    *mean_commits += (double)trial.commits / TRIALS;
  }
  return right;
}

static void it_finds_a_loss_of_three_percent_among_128_commits(void **state) {
  (void)state;
  const struct {
    double change, sd, builds, wild, assumed;
  } rows[] = {{0.03, 0.006, 0, 0, 1},       {0.03, 0.01, 0, 0, 1},      {-0.03, 0.01, 0, 0.1, 1},
              {0.03, 0.01, 0.002, 0.05, 1}, {0.10, 0.04, 0.002, 0, 1},  {0.01, 0.004, 0.001, 0, 1},
              {0.03, 0.01, 0.002, 0, 1.25}, {0.03, 0.01, 0.002, 0, 0.8}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    struct history history = usual(rows[i].change, rows[i].sd);
    history.builds = rows[i].builds, history.wild = rows[i].wild;
    history.assumed = rows[i].assumed;
    double blocks, commits;
    const int right = found(history, &blocks, &commits);
    print_message("change %+.0f %%, %.1f %%, %.1f %%, %.0f %%, %.2f: %d of %d, %.1f, %.1f\n",
                  100 * rows[i].change, 100 * rows[i].sd, 100 * rows[i].builds, 100 * rows[i].wild,
                  rows[i].assumed, right, TRIALS, blocks, commits);
    assert_true(right >= TRIALS * 98 / 100);
    assert_true(commits < 16 && blocks < 120);
  }
}

/* Without noise the search asks as often as one by halves: seven commits of 128. */
static void without_noise_it_halves(void **state) {
  (void)state;
  double blocks, commits;
  assert_int_equal(found(usual(0.05, 0.0005), &blocks, &commits), TRIALS);
  assert_true(commits <= 7.5);
}

static void commits_that_do_not_build_make_a_range(void **state) {
  (void)state;
  struct history history = usual(0.03, 0.006);
  history.culprit = 60;
  for (size_t i = 58; i <= 63; i++) history.testable[i] = false;
  const struct trial trial = play(&history, 1);
  assert_int_equal(trial.answer.after, 57);
  assert_int_equal(trial.answer.last, 64);
  assert_true(trial.answer.probability >= PAWL_BISECTION_ENOUGH);
}

static void a_fact_outweighs_measurements(void **state) {
  (void)state;
  bool testable[5] = {true, true, true, true, true};
  double evidence[5] = {0, -9, -9, 9, 0}, weights[5];
  const struct pawl_bisection search = {4, evidence, NULL, testable};
  pawl_bisection_weights(&search, weights);
  assert_true(weights[3] > 0.99);
  evidence[2] = PAWL_BISECTION_CERTAIN;
  pawl_bisection_weights(&search, weights);
  assert_true(weights[2] > 0.99);
  evidence[2] = -9;
  const double prior[5] = {0, 0, 0, -PAWL_BISECTION_CERTAIN, 0};
  const struct pawl_bisection refuted = {4, evidence, prior, testable};
  pawl_bisection_weights(&refuted, weights);
  assert_true(weights[3] < 1e-6);
}

/* With equal weights the next questions are those of a search by halves. */
static void the_next_questions_are_known_ahead(void **state) {
  (void)state;
  bool testable[9];
  double evidence[9] = {0}, weights[9];
  size_t ahead[7];
  memset(testable, true, sizeof testable);
  const struct pawl_bisection search = {8, evidence, NULL, testable};
  pawl_bisection_weights(&search, weights);
  assert_int_equal(pawl_bisection_ahead(&search, weights, 3, ahead), 7);
  static const size_t expected[] = {4, 2, 1, 3, 6, 5, 7};
  assert_memory_equal(ahead, expected, sizeof expected);
  testable[4] = testable[3] = false;
  assert_int_equal(pawl_bisection_ahead(&search, weights, 1, ahead), 1);
  assert_int_equal(ahead[0], pawl_bisection_next(&search, weights));
  assert_int_equal(ahead[0], 5);
  assert_int_equal(pawl_bisection_ahead(&search, weights, 3, ahead), 5);
}

static void one_commit_needs_no_question(void **state) {
  (void)state;
  const bool testable[2] = {true, true};
  const double evidence[2] = {0};
  double weights[2];
  const struct pawl_bisection search = {1, evidence, NULL, testable};
  pawl_bisection_weights(&search, weights);
  assert_true(weights[1] == 1);
  assert_int_equal(pawl_bisection_next(&search, weights), 0);
  assert_int_equal(pawl_bisection_range(&search, weights).last, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(it_finds_a_loss_of_three_percent_among_128_commits),
      cmocka_unit_test(without_noise_it_halves),
      cmocka_unit_test(commits_that_do_not_build_make_a_range),
      cmocka_unit_test(a_fact_outweighs_measurements),
      cmocka_unit_test(the_next_questions_are_known_ahead),
      cmocka_unit_test(one_commit_needs_no_question),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
