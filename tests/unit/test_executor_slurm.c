/* SPDX-License-Identifier: Apache-2.0 */
/* The Slurm executor with programs of ours in the place of Slurm's: queues that stand still, a
   controller that refuses, hangs or is away for a while. tests/contract/slurm.py has a real Slurm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "fleet/pool.h"
#include "fleet/slurm_reason.h"

#define OK(call) assert_int_equal((call), PAWL_OK)
#define PATIENCE 1.0
#define AWAY "slurm_load_jobs error: Unable to contact slurm controller (connect failure)"

struct fixture {
  struct pawl_arena arena;
  struct pawl_log log;
  struct pawl_pool pool;
  char folder[64];
  const char *path; /* PATH before the test */
};

/* A program of Slurm from here on. */
static void put(struct fixture *fixture, const char *name, const char *script) {
  const char *path = pawl_arena_printf(&fixture->arena, "%s/bin/%s", fixture->folder, name);
  const char *text = pawl_arena_printf(&fixture->arena, "#!/bin/sh\n%s\n", script);
  struct pawl_error err = {0};
  OK(pawl_file_write(path, text, strlen(text), &err));
  assert_int_equal(chmod(path, 0755), 0);
}

/* Both tasks of job 7. */
static void put_queue(struct fixture *fixture, const char *state, const char *nodes,
                      const char *reason) {
  put(fixture, "squeue",
      pawl_arena_printf(&fixture->arena, "for i in 1 2; do echo '7_'$i'|%s|main|%s|%s'; done",
                        state, nodes, reason));
}

static int set_up(void **state) {
  struct fixture *fixture = calloc(1, sizeof *fixture);
  struct pawl_error err = {0};
  strcpy(fixture->folder, "/tmp/pawl-slurm.XXXXXX");
  assert_non_null(mkdtemp(fixture->folder));
  OK(pawl_make_folders(pawl_arena_printf(&fixture->arena, "%s/bin", fixture->folder), &err));
  fixture->path = pawl_arena_copy(&fixture->arena, getenv("PATH"));
  setenv("PATH", pawl_arena_printf(&fixture->arena, "%s/bin:%s", fixture->folder, fixture->path),
         1);
  pawl_log_init(&fixture->log, PAWL_LOG_QUIET);
  put(fixture, "sbatch", "echo 7");
  put(fixture, "scancel", "exit 0");
  put(fixture, "sinfo", "echo 1/1/0/2");
  *state = fixture;
  return 0;
}

static int tear_down(void **state) {
  struct fixture *fixture = *state;
  struct pawl_error err = {0};
  put(fixture, "squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1");
  pawl_pool_end(&fixture->pool);
  setenv("PATH", fixture->path, 1);
  OK(pawl_remove_tree(fixture->folder, &err));
  pawl_arena_clear(&fixture->arena);
  free(fixture);
  return 0;
}

static enum pawl_status_code start_pool(struct fixture *fixture, struct pawl_error *err) {
  struct pawl_words words = {0};
  pawl_words_add(&words, &fixture->arena, "true");
  const struct pawl_pool_plan plan = {.executor = &pawl_executor_slurm,
                                      .evaluators = 2,
                                      .words = &words,
                                      .patience = PATIENCE,
                                      .goes_on = "the same command goes on"};
  const enum pawl_status_code status = pawl_pool_start(
      &fixture->pool, &plan, pawl_arena_printf(&fixture->arena, "%s/f", fixture->folder),
      &fixture->arena, &fixture->log, err);
  return status;
}

static void start(struct fixture *fixture) {
  struct pawl_error err = {0};
  OK(start_pool(fixture, &err));
}

/* Listens for so long, or until it fails. */
static enum pawl_status_code listen(struct fixture *fixture, double seconds,
                                    struct pawl_error *err) {
  const int64_t begin = pawl_clock_ns();
  while (pawl_seconds_since(begin) < seconds) {
    struct pawl_pool_event event;
    const int64_t asked = pawl_clock_ns();
    const enum pawl_status_code status = pawl_pool_next(&fixture->pool, &event, err);
    assert_true(pawl_seconds_since(asked) < PATIENCE / 2); /* Slurm holds up nothing */
    if (status != PAWL_OK) return status;
    json_decref(event.document);
  }
  return PAWL_OK;
}

static void expect_end(struct fixture *fixture, const char *words) {
  struct pawl_error err = {0};
  assert_int_equal(listen(fixture, 20 * PATIENCE, &err), PAWL_UNAVAILABLE);
  if (!strstr(err.message, words)) fail_msg("%s", err.message);
  assert_non_null(strstr(err.message, "the same command goes on"));
}

static void expect_wait(struct fixture *fixture) {
  struct pawl_error err = {0};
  if (listen(fixture, 2 * PATIENCE, &err) != PAWL_OK) fail_msg("%s", err.message);
}

/* The message that the user saw; NULL: none. */
static const char *told(const struct fixture *fixture) { return fixture->pool.staff.queue.told; }

static void test_a_long_queue_is_shown_and_no_error(void **state) {
  struct fixture *fixture = *state;
  put_queue(fixture, "PENDING", "", "Priority");
  start(fixture);
  expect_wait(fixture);
  assert_string_equal(told(fixture), "2 of 2 evaluators wait in Slurm's queue: Priority");
  assert_string_equal(pawl_pool_waits(&fixture->pool), "waits in Slurm's queue: Priority");
  put_queue(fixture, "PENDING", "", "Resources");
  expect_wait(fixture);
  assert_string_equal(told(fixture), "2 of 2 evaluators wait in Slurm's queue: Resources");
}

/* While evaluators worked nobody minded the silence: it is over for what is submitted now. */
static void test_a_controller_that_takes_a_job_is_back(void **state) {
  struct fixture *fixture = *state;
  struct pawl_staff *staff = &fixture->pool.staff;
  struct pawl_error err = {0};
  put_queue(fixture, "PENDING", "", "Priority");
  start(fixture);
  staff->queue.silent_ns = pawl_clock_ns() - (int64_t)(3 * PATIENCE * 1e9);
  staff->queue.silence = "squeue failed";
  OK(pawl_executor_slurm.start(staff, 0, 1, &err));
  expect_wait(fixture);
}

static void test_what_starts_at_once_is_not_told(void **state) {
  struct fixture *fixture = *state;
  put_queue(fixture, "RUNNING", "", "None");
  start(fixture);
  expect_wait(fixture);
  assert_null(told(fixture));
}

static void test_a_request_that_is_never_met(void **state) {
  struct fixture *fixture = *state;
  struct pawl_error err = {0};
  put_queue(fixture, "PENDING", "", "PartitionNodeLimit");
  start(fixture);
  OK(listen(fixture, PATIENCE / 2, &err));
  expect_end(fixture,
             "for 1 s Slurm has said 'PartitionNodeLimit' of job 7 in partition 'main'; change "
             "--slurm-options");
  assert_string_equal(told(fixture), "2 of 2 evaluators wait in Slurm's queue: PartitionNodeLimit");
}

static void test_one_that_runs_is_enough(void **state) {
  struct fixture *fixture = *state;
  put(fixture, "squeue", "echo '7_1|PENDING|main||PartitionDown'; echo '7_2|RUNNING|main||None'");
  start(fixture);
  expect_wait(fixture);
  assert_string_equal(told(fixture), "1 of 2 evaluators waits in Slurm's queue: PartitionDown");
}

/* Slurm gives this reason on a busy cluster too. */
static void test_nodes_that_are_away(void **state) {
  struct fixture *fixture = *state;
  put_queue(fixture, "PENDING", "",
            "Nodes required for job are DOWN, DRAINED or reserved for jobs in ...");
  start(fixture);
  expect_wait(fixture);
  put(fixture, "sinfo", "echo 0/0/2/2");
  expect_end(fixture, "'Nodes required for job are DOWN");
}

static void test_a_node_that_must_be_there(void **state) {
  struct fixture *fixture = *state;
  put(fixture, "sinfo", "case \"$*\" in *'--nodes a') echo 0/0/1/1 ;; *) echo 1/0/1/2 ;; esac");
  put_queue(fixture, "PENDING", "a", "ReqNodeNotAvail, UnavailableNodes:a");
  start(fixture);
  expect_end(fixture, "'ReqNodeNotAvail, UnavailableNodes:a'");
}

static void test_a_controller_that_is_away(void **state) {
  struct fixture *fixture = *state;
  put(fixture, "squeue", "echo '" AWAY "' >&2; exit 1");
  start(fixture);
  expect_end(fixture,
             "Slurm's controller has not answered for 1 s: squeue exited with status 1: " AWAY
             "; 'scontrol ping' shows");
}

static void test_a_controller_that_hangs(void **state) {
  struct fixture *fixture = *state;
  put(fixture, "squeue", "exec sleep 100");
  start(fixture);
  expect_end(fixture, "squeue timed out after 1");
}

static void test_a_controller_that_comes_back(void **state) {
  struct fixture *fixture = *state;
  struct pawl_error err = {0};
  put(fixture, "squeue", "exit 1");
  start(fixture);
  OK(listen(fixture, PATIENCE / 2, &err));
  put_queue(fixture, "PENDING", "", "Resources");
  expect_wait(fixture);
}

/* The controller said last that it waits, and is away since: its own word counts. */
static void test_an_evaluator_that_works_meanwhile(void **state) {
  struct fixture *fixture = *state;
  struct pawl_evaluator evaluator;
  struct pawl_error err = {0};
  put_queue(fixture, "PENDING", "", "Resources");
  start(fixture);
  OK(listen(fixture, PATIENCE, &err));
  put(fixture, "squeue", "echo '" AWAY "' >&2; exit 1");
  OK(listen(fixture, PATIENCE / 2, &err));
  OK(pawl_evaluator_open(&evaluator, fixture->pool.staff.posts[0].folder, &err));
  OK(pawl_evaluator_ready(&evaluator, json_object(), &err));
  expect_wait(fixture);
  assert_true(fixture->pool.members[0].ready);
  pawl_evaluator_close(&evaluator);
}

static void test_a_submission_that_fails(void **state) {
  struct fixture *fixture = *state;
  struct pawl_error err = {0};
  put(fixture, "squeue", "exit 1");
  put(fixture, "sbatch",
      "echo 'sbatch: error: Unable to contact slurm controller (connect failure)' >&2; exit 1");
  assert_int_equal(start_pool(fixture, &err), PAWL_UNAVAILABLE);
  assert_non_null(
      strstr(err.message, "cannot submit the evaluators to Slurm: sbatch exited with status 1: "));
  assert_non_null(strstr(err.message, "'scontrol ping' shows whether its controller is up"));
  pawl_pool_end(&fixture->pool);
  put(fixture, "sbatch", "echo 'sbatch: error: invalid partition specified: nowhere' >&2; exit 1");
  assert_int_equal(start_pool(fixture, &err), PAWL_UNAVAILABLE);
  assert_non_null(strstr(err.message, "nowhere; change --slurm-options"));
}

/* sbatch reads '%j' in a file's name as the job's number. */
static void test_words_of_sbatch(void **state) {
  struct fixture *fixture = *state;
  struct pawl_arena *arena = &fixture->arena;
  struct pawl_words command = {0}, options = {0};
  struct pawl_error err = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  const char *path = pawl_arena_printf(arena, "%s/words", fixture->folder);
  put(fixture, "sbatch", pawl_arena_printf(arena, "printf '%%s\\n' \"$@\" >%s; echo 7", path));
  put_queue(fixture, "RUNNING", "", "None");
  pawl_words_add(&command, arena, "true");
  pawl_words_add(&options, arena, "--comment=a b");
  const struct pawl_pool_plan plan = {.executor = &pawl_executor_slurm,
                                      .evaluators = 2,
                                      .words = &command,
                                      .executor_options = &options};
  OK(pawl_pool_start(&fixture->pool, &plan, pawl_arena_printf(arena, "%s/a%%jb", fixture->folder),
                     arena, &fixture->log, &err));
  OK(pawl_file_read(path, 1 << 20, &text, &err));
  const char *words = pawl_text_string(&text);
  if (!strstr(words, "/a%%jb/%a/log\n--comment=a b\n")) fail_msg("%s", words);
  if (!strstr(words, "/a%jb/job.sh\n")) fail_msg("%s", words);
}

/* Whichever executor the killed search had. */
static void test_what_a_killed_search_left_is_cancelled(void **state) {
  struct fixture *fixture = *state;
  struct pawl_arena *arena = &fixture->arena;
  struct pawl_words command = {0};
  struct pawl_error err = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  const char *folder = pawl_arena_printf(arena, "%s/f", fixture->folder);
  const char *path = pawl_arena_printf(arena, "%s/cancelled", fixture->folder);
  put(fixture, "scancel", pawl_arena_printf(arena, "echo \"$@\" >>%s", path));
  OK(pawl_make_folders(folder, &err));
  OK(pawl_file_write(pawl_arena_printf(arena, "%s/jobs", folder), "5\n6\n", 4, &err));
  pawl_words_add(&command, arena, "true");
  const struct pawl_pool_plan plan = {
      .executor = &pawl_executor_local, .evaluators = 1, .words = &command};
  OK(pawl_pool_start(&fixture->pool, &plan, folder, arena, &fixture->log, &err));
  OK(pawl_file_read(path, 1 << 20, &text, &err));
  assert_string_equal(pawl_text_string(&text), "5\n6\n");
}

/* The controller was away at the end: the next search cancels the job. */
static void test_what_could_not_be_cancelled_is_cancelled_later(void **state) {
  struct fixture *fixture = *state;
  struct pawl_error err = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  const char *path = pawl_arena_printf(&fixture->arena, "%s/cancelled", fixture->folder);
  put_queue(fixture, "PENDING", "", "Priority");
  start(fixture);
  put(fixture, "scancel", "echo 'scancel: error: " AWAY "' >&2; exit 1");
  pawl_pool_end(&fixture->pool);
  put(fixture, "scancel", pawl_arena_printf(&fixture->arena, "echo \"$@\" >>%s", path));
  start(fixture);
  OK(pawl_file_read(path, 1 << 20, &text, &err));
  assert_string_equal(pawl_text_string(&text), "7\n");
}

/* A task that fails, and that Slurm does not take again, does not end the search of the other. */
static void test_a_task_that_does_not_come_back(void **state) {
  struct fixture *fixture = *state;
  put(fixture, "squeue", "echo '7_1|FAILED|main||NonZeroExitCode'; echo '7_2|RUNNING|main||None'");
  start(fixture);
  put(fixture, "sbatch", "echo 'sbatch: error: Batch job submission failed' >&2; exit 1");
  expect_wait(fixture);
  assert_int_equal(pawl_pool_left(&fixture->pool), 1);
  assert_true(fixture->pool.members[0].gone);
}

static void test_reasons(void **state) {
  (void)state;
  static const char *const pass[] = {"None",
                                     "Priority",
                                     "Resources",
                                     "Dependency",
                                     "BeginTime",
                                     "Licenses",
                                     "Reservation",
                                     "JobArrayTaskLimit",
                                     "QOSGrpCpuLimit",
                                     "QOSMaxJobsPerUserLimit",
                                     "MaxCpuPerAccount",
                                     "ReqNodeNotAvail, Reserved for maintenance",
                                     "ReqNodeNotAvail, May be reserved for other job"};
  static const char *const stuck[] = {
      "BadConstraints", "PartitionDown",       "QOSMaxCpuPerJobLimit",
      "QOSMinGRES",     "QOSMaxMemoryPerNode", "AssocMaxWallDurationPerJobLimit",
      "JobHeldUser",    "PartitionTimeLimit",  "launch failed requeued held",
      "InvalidAccount", "PartitionConfig",     "DependencyNeverSatisfied"};
  for (size_t i = 0; i < sizeof pass / sizeof *pass; i++)
    assert_int_equal(pawl_slurm_reason(pass[i]), PAWL_WAIT_PASSES);
  for (size_t i = 0; i < sizeof stuck / sizeof *stuck; i++)
    assert_int_equal(pawl_slurm_reason(stuck[i]), PAWL_WAIT_STUCK);
  assert_int_equal(pawl_slurm_reason("ReqNodeNotAvail, UnavailableNodes:a"), PAWL_WAIT_ON_NODES);
  assert_true(pawl_slurm_nodes_away("0/0/3/3\n0/0/1.2K/1.2K\n", false));
  assert_false(pawl_slurm_nodes_away("0/0/3/3\n1.2K/0/0/1.2K\n", false));
  assert_true(pawl_slurm_nodes_away("1/0/1/2\n", true));
  assert_false(pawl_slurm_nodes_away("1/1/0/2\n", true));
  assert_false(pawl_slurm_nodes_away("", false)); /* nothing is known */
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void) {
  const struct CMUnitTest tests[] = {
      CASE(test_a_long_queue_is_shown_and_no_error),
      CASE(test_a_controller_that_takes_a_job_is_back),
      CASE(test_what_starts_at_once_is_not_told),
      CASE(test_a_request_that_is_never_met),
      CASE(test_one_that_runs_is_enough),
      CASE(test_nodes_that_are_away),
      CASE(test_a_node_that_must_be_there),
      CASE(test_a_controller_that_is_away),
      CASE(test_a_controller_that_hangs),
      CASE(test_a_controller_that_comes_back),
      CASE(test_an_evaluator_that_works_meanwhile),
      CASE(test_a_submission_that_fails),
      CASE(test_words_of_sbatch),
      CASE(test_what_a_killed_search_left_is_cancelled),
      CASE(test_what_could_not_be_cancelled_is_cancelled_later),
      CASE(test_a_task_that_does_not_come_back),
      cmocka_unit_test(test_reasons),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
