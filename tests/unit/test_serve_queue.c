/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs, labels, replays, restarts; and the configuration that they follow. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those before it */
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "serve/queue.h"

#define DAY 86400.0
#define NOW 1.8e9

struct bench {
  char folder[64];
  struct pawl_arena arena;
  struct pawl_wake_config config;
  struct pawl_queue queue;
};

static const char config_text[] =
    "version: 1\n"
    "secret: {env: HOOK}\n"
    "repositories: [Octo/App, 'team/*']\n"
    "machines:\n"
    "  small: {labels: [self-hosted, gpu], start: [start, small], stop: [stop, small]}\n"
    "  large: {labels: [self-hosted, gpu, H200], start: [start, large], idle_stop: 10m, min_up: "
    "1h}\n";

static int set_up(void **state) {
  struct bench *bench = calloc(1, sizeof *bench);
  snprintf(bench->folder, sizeof bench->folder, "/tmp/pawl-queue-XXXXXX");
  assert_non_null(mkdtemp(bench->folder));
  struct pawl_error err = {0};
  assert_int_equal(pawl_wake_config_parse(config_text, strlen(config_text), "pawl-wake.yaml",
                                          &bench->arena, &bench->config, &err),
                   PAWL_OK);
  bench->config.state = bench->folder;
  assert_int_equal(pawl_queue_open(&bench->queue, &bench->config, NOW, NULL, &err), PAWL_OK);
  *state = bench;
  return 0;
}

static int tear_down(void **state) {
  struct bench *bench = *state;
  pawl_queue_close(&bench->queue);
  pawl_arena_clear(&bench->arena);
  assert_int_equal(pawl_remove_tree(bench->folder, NULL), PAWL_OK);
  free(bench);
  return 0;
}

static void restart(struct bench *bench, double now) {
  pawl_queue_close(&bench->queue);
  assert_int_equal(pawl_queue_open(&bench->queue, &bench->config, now, NULL, NULL), PAWL_OK);
}

static struct pawl_job make_job(int64_t id, enum pawl_job_state state) {
  return (struct pawl_job){.id = id,
                           .state = state,
                           .created = NOW - 5,
                           .repository = "octo/app",
                           .labels = {"self-hosted", "GPU"},
                           .label_count = 2};
}

static enum pawl_offer offer_as(struct bench *bench, const struct pawl_job *job, uint64_t delivery,
                                uint64_t body, double now) {
  const struct pawl_hash hashes[2] = {{1, delivery}, {2, body}};
  enum pawl_offer offer;
  uint64_t number;
  struct pawl_error err = {0};
  assert_int_equal(pawl_queue_offer(&bench->queue, job, delivery ? &hashes[0] : NULL,
                                    body ? &hashes[1] : NULL, now, &offer, &number, &err),
                   PAWL_OK);
  assert_int_equal(number != 0, offer == PAWL_OFFER_ACCEPTED);
  return offer;
}

static enum pawl_offer offer(struct bench *bench, int64_t id, enum pawl_job_state state,
                             double now) {
  const struct pawl_job job = make_job(id, state);
  return offer_as(bench, &job, 0, 0, now);
}

static void a_job_s_life_is_counted(void **state) {
  struct bench *bench = *state;
  const struct pawl_machine_demand *small = &bench->queue.demand[0];
  assert_int_equal(offer(bench, 7, PAWL_JOB_QUEUED, NOW), PAWL_OFFER_ACCEPTED);
  assert_int_equal(offer(bench, 8, PAWL_JOB_QUEUED, NOW + 1), PAWL_OFFER_ACCEPTED);
  assert_int_equal(small->queued, 2);
  assert_true(small->waiting >= NOW && small->waiting <= NOW);
  assert_int_equal(offer(bench, 7, PAWL_JOB_RUNNING, NOW + 2), PAWL_OFFER_ACCEPTED);
  assert_int_equal(small->queued, 1);
  assert_int_equal(small->running, 1);
  assert_int_equal(offer(bench, 7, PAWL_JOB_DONE, NOW + 9), PAWL_OFFER_ACCEPTED);
  assert_true(small->waiting >= NOW + 9); /* the other waits since there was progress */
  assert_int_equal(offer(bench, 8, PAWL_JOB_DONE, NOW + 10), PAWL_OFFER_ACCEPTED);
  assert_int_equal(small->queued + small->running, 0);
  assert_false(small->waiting > 0);
}

static void news_out_of_order_never_bring_a_job_back(void **state) {
  struct bench *bench = *state;
  assert_int_equal(offer(bench, 7, PAWL_JOB_DONE, NOW), PAWL_OFFER_ACCEPTED);
  assert_int_equal(offer(bench, 7, PAWL_JOB_RUNNING, NOW), PAWL_OFFER_OLD_NEWS);
  assert_int_equal(offer(bench, 7, PAWL_JOB_QUEUED, NOW), PAWL_OFFER_OLD_NEWS);
  restart(bench, NOW + 1);
  assert_int_equal(offer(bench, 7, PAWL_JOB_QUEUED, NOW), PAWL_OFFER_OLD_NEWS);
  assert_int_equal(bench->queue.demand[0].queued, 0);
}

static void a_delivery_counts_once_under_any_name(void **state) {
  struct bench *bench = *state;
  const struct pawl_job job = make_job(7, PAWL_JOB_QUEUED), other = make_job(9, PAWL_JOB_QUEUED);
  assert_int_equal(offer_as(bench, &job, 100, 200, NOW), PAWL_OFFER_ACCEPTED);
  assert_int_equal(offer_as(bench, &job, 100, 200, NOW), PAWL_OFFER_DUPLICATE);
  assert_int_equal(offer_as(bench, &job, 101, 200, NOW),
                   PAWL_OFFER_DUPLICATE); /* renamed: the name is not signed */
  assert_int_equal(offer_as(bench, &other, 100, 201, NOW),
                   PAWL_OFFER_DUPLICATE); /* the name again */
  restart(bench, NOW + 60);
  assert_int_equal(offer_as(bench, &job, 102, 200, NOW), PAWL_OFFER_DUPLICATE);
  assert_int_equal(offer_as(bench, &other, 103, 203, NOW), PAWL_OFFER_ACCEPTED);
}

static void what_is_forgotten_is_too_old_to_be_believed(void **state) {
  struct bench *bench = *state;
  const struct pawl_job job = make_job(7, PAWL_JOB_QUEUED);
  assert_true(bench->config.replay_window >= DAY);
  assert_int_equal(offer_as(bench, &job, 100, 200, NOW + 4 * DAY), PAWL_OFFER_STALE);
  struct pawl_job undated = job;
  undated.created = NAN;
  assert_int_equal(offer_as(bench, &undated, 100, 200, NOW + 4 * DAY), PAWL_OFFER_ACCEPTED);
}

static void labels_choose_the_machine(void **state) {
  struct bench *bench = *state;
  const char *const all[] = {"self-hosted", "gpu", "h200"}, *const more[] = {"self-hosted", "gpu",
                                                                             "h200", "x"};
  const char *const hosted[] = {"ubuntu-latest"};
  assert_int_equal(pawl_wake_config_match(&bench->config, all, 2), 0);
  assert_int_equal(pawl_wake_config_match(&bench->config, all, 3), 1);
  assert_int_equal(pawl_wake_config_match(&bench->config, more, 4), -1);
  assert_int_equal(pawl_wake_config_match(&bench->config, hosted, 1), -1);
  assert_int_equal(pawl_wake_config_match(&bench->config, all, 0), -1);
  struct pawl_job job = make_job(7, PAWL_JOB_QUEUED);
  job.labels[1] = "other";
  assert_int_equal(offer_as(bench, &job, 1, 1, NOW), PAWL_OFFER_NO_MACHINE);
}

static void repositories_are_named(void **state) {
  struct bench *bench = *state;
  assert_true(pawl_wake_config_has(&bench->config, "octo/app"));
  assert_true(pawl_wake_config_has(&bench->config, "Team/anything"));
  assert_false(pawl_wake_config_has(&bench->config, "octo/app2"));
  assert_false(pawl_wake_config_has(&bench->config, "octo/ap"));
  assert_false(pawl_wake_config_has(&bench->config, "teams/x"));
}

static void a_restart_knows_jobs_and_machines(void **state) {
  struct bench *bench = *state;
  offer(bench, 7, PAWL_JOB_QUEUED, NOW);
  offer(bench, 8, PAWL_JOB_QUEUED, NOW);
  offer(bench, 8, PAWL_JOB_RUNNING, NOW + 1);
  bench->queue.machines[1] = (struct pawl_machine){PAWL_MACHINE_UP, NOW - 9, NOW - 3, 0, 2};
  bench->queue.machines[0].state = PAWL_MACHINE_STARTING;
  assert_int_equal(pawl_queue_keep_machine(&bench->queue, 0, NULL), PAWL_OK);
  assert_int_equal(pawl_queue_keep_machine(&bench->queue, 1, NULL), PAWL_OK);
  restart(bench, NOW + 60);
  assert_int_equal(bench->queue.demand[0].queued, 1);
  assert_int_equal(bench->queue.demand[0].running, 1);
  assert_int_equal(bench->queue.machines[0].state, PAWL_MACHINE_UNKNOWN);
  assert_int_equal(bench->queue.machines[1].state, PAWL_MACHINE_UP);
  assert_true(fabs(bench->queue.machines[1].started - (NOW - 9)) < 1e-3);
  assert_int_equal(bench->queue.machines[1].failures, 2);
}

static void one_process_at_a_time(void **state) {
  struct bench *bench = *state;
  struct pawl_queue second;
  assert_int_equal(pawl_queue_open(&second, &bench->config, NOW, NULL, NULL), PAWL_TRY_AGAIN);
}

static void jobs_that_the_host_does_not_list_are_done_until_news_come(void **state) {
  struct bench *bench = *state;
  offer(bench, 7, PAWL_JOB_QUEUED, NOW);
  offer(bench, 8, PAWL_JOB_QUEUED, NOW);
  offer(bench, 9, PAWL_JOB_QUEUED, NOW + 50);
  const int64_t listed[] = {8};
  size_t done;
  assert_int_equal(
      pawl_queue_missing(&bench->queue, "octo/app", listed, 1, NOW + 10, NOW + 11, &done, NULL),
      PAWL_OK);
  assert_int_equal(done, 1); /* 8 is listed, 9 came after the question */
  assert_int_equal(bench->queue.demand[0].queued, 2);
  assert_int_equal(
      pawl_queue_missing(&bench->queue, "other/repo", NULL, 0, NOW + 99, NOW + 99, &done, NULL),
      PAWL_OK);
  assert_int_equal(done, 0);
  restart(bench, NOW + 60);
  assert_int_equal(offer(bench, 7, PAWL_JOB_RUNNING, NOW + 60),
                   PAWL_OFFER_ACCEPTED); /* it was only a guess */
  assert_int_equal(bench->queue.demand[0].running, 1);
}

static void jobs_that_nobody_ends_are_given_up(void **state) {
  struct bench *bench = *state;
  offer(bench, 7, PAWL_JOB_QUEUED, NOW);
  offer(bench, 8, PAWL_JOB_RUNNING, NOW);
  assert_int_equal(pawl_queue_tidy(&bench->queue, NOW + DAY + 1, NULL), PAWL_OK);
  assert_int_equal(bench->queue.demand[0].queued, 0);
  assert_int_equal(bench->queue.demand[0].running, 1);
  assert_int_equal(pawl_queue_tidy(&bench->queue, NOW + 5 * DAY + 1, NULL), PAWL_OK);
  assert_int_equal(bench->queue.demand[0].running, 0);
}

static void the_journal_does_not_grow_for_ever(void **state) {
  struct bench *bench = *state;
  double now = NOW;
  for (int i = 1; i <= 10000; i++) {
    now = NOW + i * 60.0;
    struct pawl_job job = make_job(i, PAWL_JOB_QUEUED);
    job.created = now;
    assert_int_equal(offer_as(bench, &job, (uint64_t)i, (uint64_t)i, now), PAWL_OFFER_ACCEPTED);
    offer(bench, i, PAWL_JOB_DONE, now);
  }
  struct pawl_job last = make_job(20001, PAWL_JOB_RUNNING);
  last.created = now;
  assert_int_equal(offer_as(bench, &last, 0, 0, now), PAWL_OFFER_ACCEPTED);
  const size_t before = bench->queue.journal.bytes;
  assert_int_equal(pawl_queue_tidy(&bench->queue, now + bench->config.replay_window + 1, NULL),
                   PAWL_OK);
  assert_true(before > (size_t)4 << 20);
  assert_true(bench->queue.journal.bytes < before / 100);
  restart(bench, now + 1);
  assert_int_equal(bench->queue.demand[0].running, 1);
  assert_int_equal(bench->queue.tables.job_count, 1);
}

static void mistakes_in_the_configuration_are_told(void **state) {
  (void)state;
  static const char *const mistakes[][2] = {
      {"version: 2\n", "must be 1"},
      {"version: 1\nrepositories: [a/b]\nmachines: {m: {labels: [x], start: [y], idle: 5m}}\n",
       "unknown key 'idle'"},
      {"version: 1\nrepositories: [a]\nmachines: {m: {labels: [x], start: [y]}}\n", "owner/name"},
      {"version: 1\nrepositories: [a/../b]\nmachines: {m: {labels: [x], start: [y]}}\n",
       "owner/name"},
      {"version: 1\nrepositories: [a/b]\nmachines: {m: {labels: [], start: [y]}}\n",
       "at least one"},
      {"version: 1\nrepositories: [a/b]\nmachines: {m: {labels: [x], start: y}}\n", "a list"},
      {"version: 1\nrepositories: [a/b]\nmachines: {m: {labels: [x]}}\n",
       "'start' of machine 'm' is missing"},
      {"version: 1\nrepositories: [a/b]\nsecret: abc\nmachines: {m: {labels: [x], start: [y]}}\n",
       "{env: NAME}"},
      {"version: 1\nrepositories: [a/b]\nreplay_window: 1h\nmachines: {m: {labels: [x], start: "
       "[y]}}\n",
       "from 1d to 30d"},
      {"version: 1\nrepositories: [a/b]\njob_age: 10s\nmachines: {m: {labels: [x], start: "
       "[y]}}\n",
       "from 60s to 3650d"},
      {"version: 1\nrepositories: [a/b]\nsecret: {env: HOOK}\nmachines: {m: {labels: [x], start: "
       "[y], pass: [HOOK]}}\n",
       "own secrets"},
      {"version: 1\nrepositories: [a/b]\n", "'machines' of pawl-wake.yaml is missing"},
  };
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    struct pawl_arena arena = {0};
    struct pawl_wake_config config;
    struct pawl_error err = {0};
    assert_int_equal(pawl_wake_config_parse(mistakes[i][0], strlen(mistakes[i][0]),
                                            "pawl-wake.yaml", &arena, &config, &err),
                     PAWL_CONFIG);
    if (!strstr(err.message, mistakes[i][1]))
      fail_msg("'%s' does not say '%s'", err.message, mistakes[i][1]);
    pawl_arena_clear(&arena);
  }
}

/* Each table of keys, by a mistake whose message lists them. */
static void every_key_is_in_the_guide(void **state) {
  (void)state;
  static const char *const lists[] = {"version: 1\nzzzzzzzzzzzzzzzz: 1\n",
                                      "machines: {m: {zzzzzzzzzzzzzzzz: 1}}\n"};
  struct pawl_text guide = {0};
  size_t keys = 0;
  assert_int_equal(
      pawl_file_read(PAWL_SOURCE_ROOT "/docs/guides/runner-wake-up.md", 1 << 20, &guide, NULL),
      PAWL_OK);
  for (size_t i = 0; i < 2; i++) {
    struct pawl_arena arena = {0};
    struct pawl_wake_config config;
    struct pawl_error err = {0};
    assert_int_equal(
        pawl_wake_config_parse(lists[i], strlen(lists[i]), "pawl-wake.yaml", &arena, &config, &err),
        PAWL_CONFIG);
    char *list = strstr(err.message, "the keys are ");
    assert_non_null(list);
    list += strlen("the keys are ");
    for (char *key; (key = strsep(&list, ", "));) {
      char quoted[64];
      if (!*key) continue;
      snprintf(quoted, sizeof quoted, "`%s`", key);
      if (!strstr(guide.data, quoted)) fail_msg("the guide does not tell of %s", quoted);
      keys++;
    }
    pawl_arena_clear(&arena);
  }
  assert_true(keys >= 18);
  pawl_text_clear(&guide);
}

static void timestamps_are_read(void **state) {
  (void)state;
  const double when = pawl_parse_timestamp("2026-11-20T23:14:05Z");
  assert_true(when >= 1795216445 && when <= 1795216445);
  assert_true(isnan(pawl_parse_timestamp("2026-11-20T23:14:05")));
  assert_true(isnan(pawl_parse_timestamp("yesterday")));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_job_s_life_is_counted, set_up, tear_down),
      cmocka_unit_test_setup_teardown(news_out_of_order_never_bring_a_job_back, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_delivery_counts_once_under_any_name, set_up, tear_down),
      cmocka_unit_test_setup_teardown(what_is_forgotten_is_too_old_to_be_believed, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(labels_choose_the_machine, set_up, tear_down),
      cmocka_unit_test_setup_teardown(repositories_are_named, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_restart_knows_jobs_and_machines, set_up, tear_down),
      cmocka_unit_test_setup_teardown(one_process_at_a_time, set_up, tear_down),
      cmocka_unit_test_setup_teardown(jobs_that_the_host_does_not_list_are_done_until_news_come,
                                      set_up, tear_down),
      cmocka_unit_test_setup_teardown(jobs_that_nobody_ends_are_given_up, set_up, tear_down),
      cmocka_unit_test_setup_teardown(the_journal_does_not_grow_for_ever, set_up, tear_down),
      cmocka_unit_test(mistakes_in_the_configuration_are_told),
      cmocka_unit_test(every_key_is_in_the_guide),
      cmocka_unit_test(timestamps_are_read),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
