/* SPDX-License-Identifier: Apache-2.0 */
/* Requests and answers over files, seen from both sides: lines that are cut off, evaluators that
   are silent, killed and replaced. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/file.h"
#include "fleet/pool.h"

#define OK(call) assert_int_equal((call), PAWL_OK)

/* An executor whose processes are this one. */
static int starts, stops;

static enum pawl_status_code start(struct pawl_staff *staff, int first, int count,
                                   struct pawl_error *err) {
  (void)err;
  for (int i = first; i < first + count; i++) staff->posts[i].state = PAWL_POST_RUNS;
  starts += count;
  return PAWL_OK;
}

static enum pawl_status_code look(struct pawl_staff *staff, struct pawl_error *err) {
  (void)staff, (void)err;
  return PAWL_OK;
}

#define STOP_SECONDS 0.1

static double patiences[8];
static int
    asked_before_the_first; /* members that had been asked to end when the first was stopped */

static int count_asked(const struct pawl_staff *staff) {
  int count = 0;
  for (int i = 0; i < staff->count; i++) {
    PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
    count +=
        pawl_file_exists(pawl_arena_printf(&arena, "%s/requests.jsonl", staff->posts[i].folder));
  }
  return count;
}

static void stop(struct pawl_staff *staff, struct pawl_post *post, double patience) {
  if (!stops) asked_before_the_first = count_asked(staff);
  patiences[stops++] = patience;
  pawl_sleep_seconds(STOP_SECONDS);
  post->state = PAWL_POST_ENDED;
}

static void nothing(struct pawl_staff *staff) { (void)staff; }

static const struct pawl_executor here = {"here", start, look, stop, nothing, nothing, NULL};

struct fixture {
  struct pawl_arena arena;
  struct pawl_log log;
  struct pawl_pool pool;
  char folder[64];
};

static int set_up_pool(void **state, int count) {
  struct fixture *fixture = calloc(1, sizeof *fixture);
  struct pawl_words words = {0};
  struct pawl_error err = {0};
  strcpy(fixture->folder, "/tmp/pawl-pool.XXXXXX");
  assert_non_null(mkdtemp(fixture->folder));
  pawl_log_init(&fixture->log, PAWL_LOG_QUIET);
  starts = stops = 0;
  const struct pawl_pool_plan plan = {.executor = &here, .evaluators = count, .words = &words};
  OK(pawl_pool_start(&fixture->pool, &plan,
                     pawl_arena_printf(&fixture->arena, "%s/f", fixture->folder), &fixture->arena,
                     &fixture->log, &err));
  *state = fixture;
  return 0;
}

static int set_up(void **state) { return set_up_pool(state, 2); }

static int set_up_four(void **state) { return set_up_pool(state, 4); }

static int tear_down(void **state) {
  struct fixture *fixture = *state;
  struct pawl_error err = {0};
  pawl_pool_end(&fixture->pool);
  OK(pawl_remove_tree(fixture->folder, &err));
  pawl_arena_clear(&fixture->arena);
  free(fixture);
  return 0;
}

static void open_evaluator(struct fixture *fixture, struct pawl_evaluator *evaluator) {
  struct pawl_error err = {0};
  OK(pawl_evaluator_open(evaluator, fixture->pool.staff.posts[0].folder, &err));
  OK(pawl_evaluator_ready(evaluator, json_object(), &err));
}

/* The next piece of news; its document is dropped. */
static struct pawl_pool_event next(struct fixture *fixture) {
  struct pawl_error err = {0};
  struct pawl_pool_event event;
  OK(pawl_pool_next(&fixture->pool, &event, &err));
  json_decref(event.document);
  return event;
}

static void send_two(struct fixture *fixture) {
  struct pawl_error err = {0};
  OK(pawl_pool_send(&fixture->pool, 0, json_object(), 71, &err));
  OK(pawl_pool_send(&fixture->pool, 0, json_object(), 72, &err));
}

static void take_one(struct pawl_evaluator *evaluator, long long number, bool answer) {
  PAWL_CLEANUP(pawl_json_release) json_t *request = NULL;
  struct pawl_error err = {0};
  OK(pawl_evaluator_poll(evaluator, &err));
  OK(pawl_evaluator_take(evaluator, 0, &request, &err));
  assert_int_equal(json_integer_value(json_object_get(request, "request")), number);
  if (answer) OK(pawl_evaluator_answer(evaluator, request, json_object(), &err));
}

static void test_answers_come_back(void **state) {
  struct fixture *fixture = *state;
  struct pawl_evaluator evaluator;
  open_evaluator(fixture, &evaluator);
  assert_int_equal(next(fixture).news, PAWL_POOL_READY);
  send_two(fixture);
  take_one(&evaluator, 1, true);
  take_one(&evaluator, 2, true);
  const struct pawl_pool_event first = next(fixture), second = next(fixture);
  assert_int_equal(first.news, PAWL_POOL_ANSWER);
  assert_int_equal(first.tag, 71);
  assert_int_equal(second.tag, 72);
  assert_int_equal(next(fixture).news, PAWL_POOL_NOTHING);
  pawl_evaluator_close(&evaluator);
}

/* An evaluator takes a later request first if its build ends first. A process that comes in the
   place of this evaluator leaves the earlier request to others, and nobody is at fault. */
static void test_a_later_request_is_taken_first(void **state) {
  struct fixture *fixture = *state;
  struct pawl_evaluator evaluator;
  struct pawl_error err = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *request = NULL;
  open_evaluator(fixture, &evaluator);
  assert_int_equal(next(fixture).news, PAWL_POOL_READY);
  send_two(fixture);
  OK(pawl_evaluator_poll(&evaluator, &err));
  OK(pawl_evaluator_take(&evaluator, 1, &request, &err));
  assert_int_equal(json_integer_value(json_object_get(request, "request")), 2);
  OK(pawl_evaluator_answer(&evaluator, request, json_object(), &err));
  assert_int_equal(next(fixture).tag, 72);
  assert_int_equal(evaluator.waiting_count, 1);
  pawl_evaluator_close(&evaluator);
  open_evaluator(fixture, &evaluator);
  assert_int_equal(next(fixture).news, PAWL_POOL_READY);
  const struct pawl_pool_event lost = next(fixture);
  assert_int_equal(lost.news, PAWL_POOL_LOST);
  assert_int_equal(lost.tag, 71);
  assert_false(lost.taken);
  OK(pawl_evaluator_poll(&evaluator, &err));
  assert_int_equal(evaluator.waiting_count, 0);
  pawl_evaluator_close(&evaluator);
}

static size_t count_lines(const char *path) {
  struct pawl_error err = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  size_t count = 0;
  OK(pawl_file_read(path, 1 << 20, &text, &err));
  for (size_t i = 0; i < text.length; i++) count += text.data[i] == '\n';
  return count;
}

/* The time is up: what an evaluator has begun with is awaited, and it never begins with the rest.
 */
static void test_what_nobody_has_begun_with_is_taken_back(void **state) {
  struct fixture *fixture = *state;
  struct pawl_evaluator evaluator;
  struct pawl_error err = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *request = NULL;
  open_evaluator(fixture, &evaluator);
  assert_int_equal(next(fixture).news, PAWL_POOL_READY);
  send_two(fixture);
  OK(pawl_pool_send(&fixture->pool, 0, json_object(), 73, &err));
  OK(pawl_evaluator_poll(&evaluator, &err));
  OK(pawl_evaluator_take(&evaluator, 0, &request, &err));
  assert_int_equal(next(fixture).news, PAWL_POOL_NOTHING);
  PAWL_CLEANUP(pawl_json_release)
  json_t *late = NULL; /* it begins with this one just when it is taken back */
  OK(pawl_evaluator_take(&evaluator, 0, &late, &err));
  OK(pawl_pool_withdraw(&fixture->pool, &err));
  OK(pawl_pool_withdraw(&fixture->pool, &err)); /* says it once */
  assert_int_equal(fixture->pool.members[0].pending_count, 3);
  OK(pawl_evaluator_poll(&evaluator, &err));
  assert_int_equal(evaluator.waiting_count, 0);
  assert_int_equal(next(fixture).news, PAWL_POOL_NOTHING);
  assert_int_equal(fixture->pool.members[0].pending_count, 2); /* the third is dropped */
  OK(pawl_evaluator_answer(&evaluator, request, json_object(), &err));
  OK(pawl_evaluator_answer(&evaluator, late, json_object(), &err));
  assert_int_equal(next(fixture).tag, 71);
  assert_int_equal(next(fixture).tag, 72);
  assert_int_equal(next(fixture).news, PAWL_POOL_NOTHING);
  assert_int_equal(count_lines(evaluator.requests.path), 3 + 2);
  pawl_evaluator_close(&evaluator);
}

/* The request that a process took may have ended the process. A request that it did not take
   waits for the process in its place. */
static void test_a_process_in_the_place_of_another(void **state) {
  struct fixture *fixture = *state;
  struct pawl_evaluator evaluator;
  open_evaluator(fixture, &evaluator);
  assert_int_equal(next(fixture).news, PAWL_POOL_READY);
  send_two(fixture);
  take_one(&evaluator, 1, false);
  pawl_evaluator_close(&evaluator);
  open_evaluator(fixture, &evaluator);
  assert_int_equal(next(fixture).news, PAWL_POOL_READY);
  const struct pawl_pool_event lost = next(fixture);
  assert_int_equal(lost.news, PAWL_POOL_LOST);
  assert_int_equal(lost.tag, 71);
  assert_true(lost.taken);
  take_one(&evaluator, 2, true);
  assert_int_equal(next(fixture).tag, 72);
  pawl_evaluator_close(&evaluator);
}

/* A cluster starts a task again while the processes of the lost node live on. */
static void test_an_earlier_process_is_left_out(void **state) {
  struct fixture *fixture = *state;
  struct pawl_evaluator earlier, later;
  struct pawl_error err = {0};
  PAWL_CLEANUP(pawl_json_release) json_t *first = NULL;
  PAWL_CLEANUP(pawl_json_release) json_t *second = NULL;
  open_evaluator(fixture, &earlier);
  assert_int_equal(next(fixture).news, PAWL_POOL_READY);
  send_two(fixture);
  OK(pawl_evaluator_poll(&earlier, &err));
  OK(pawl_evaluator_take(&earlier, 0, &first, &err));
  open_evaluator(fixture, &later);
  assert_int_equal(pawl_evaluator_answer(&earlier, first, json_object(), &err), PAWL_TRY_AGAIN);
  assert_int_equal(pawl_evaluator_take(&earlier, 0, &second, &err), PAWL_TRY_AGAIN);
  assert_true(earlier.ended);
  for (int i = 0; i < 100 && !earlier.heartbeat.alone; i++) pawl_sleep_seconds(0.1);
  assert_true(earlier.heartbeat.alone); /* a search that it judges ends too */
  assert_int_equal(next(fixture).news, PAWL_POOL_READY);
  assert_int_equal(next(fixture).news, PAWL_POOL_LOST);
  take_one(&later, 2, true);
  assert_int_equal(next(fixture).tag, 72);
  /* a line that was on its way */
  send_two(fixture);
  take_one(&later, 3, false);
  PAWL_CLEANUP(pawl_json_release)
  json_t *late = json_pack("{s:i, s:{}, s:s}", "answer", 3, "result", "writer", earlier.name);
  OK(pawl_ndjson_append(later.answers, late, &err));
  assert_int_equal(next(fixture).news, PAWL_POOL_NOTHING);
  pawl_evaluator_close(&earlier);
  pawl_evaluator_close(&later);
}

static void test_silence(void **state) {
  struct fixture *fixture = *state;
  struct pawl_evaluator evaluator;
  open_evaluator(fixture, &evaluator);
  fixture->pool.silence = 3;
  assert_int_equal(next(fixture).news, PAWL_POOL_READY);
  send_two(fixture);
  take_one(&evaluator, 1, false);
  pawl_evaluator_close(&evaluator); /* its heartbeats end */
  struct pawl_pool_event event = next(fixture);
  for (int i = 0; i < 600 && event.news == PAWL_POOL_NOTHING; i++) event = next(fixture);
  assert_int_equal(event.news, PAWL_POOL_LOST);
  assert_int_equal(event.tag, 71);
  assert_true(event.taken);
  event = next(fixture);
  assert_int_equal(event.tag, 72);
  assert_false(event.taken);
  assert_int_equal(stops, 1);
  assert_int_equal(starts, 3);
  open_evaluator(fixture, &evaluator); /* it must not take what others have */
  struct pawl_error err = {0};
  OK(pawl_evaluator_poll(&evaluator, &err));
  assert_int_equal(evaluator.waiting_count, 0);
  pawl_evaluator_close(&evaluator);
}

static void test_a_line_that_is_cut_off(void **state) {
  struct fixture *fixture = *state;
  struct pawl_error err = {0};
  const char *path = pawl_arena_printf(&fixture->arena, "%s/lines", fixture->folder);
  struct pawl_ndjson reader = {.path = path};
  json_t *line = NULL;
  FILE *file = fopen(path, "w");
  fputs("{\"a\":1}\n{\"a\":", file);
  fclose(file);
  OK(pawl_ndjson_next(&reader, &line, &err));
  assert_int_equal(json_integer_value(json_object_get(line, "a")), 1);
  json_decref(line);
  OK(pawl_ndjson_next(&reader, &line, &err));
  assert_null(line);
  OK(pawl_ndjson_mend(path, &err));
  PAWL_CLEANUP(pawl_json_release) json_t *more = json_pack("{s:i}", "a", 2);
  OK(pawl_ndjson_append(path, more, &err));
  OK(pawl_ndjson_next(&reader, &line, &err));
  assert_int_equal(json_integer_value(json_object_get(line, "a")), 2);
  json_decref(line);
}

static void write_bytes(const char *path, const char *bytes, size_t count) {
  FILE *file = fopen(path, "a");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, count, file), count);
  assert_int_equal(fclose(file), 0);
}

static void write_text(const char *path, const char *text) {
  write_bytes(path, text, strlen(text));
}

/* It has begun with the first of its two requests. Both go to others, and what it writes later does
 * not count. */
static void expect_distrust(struct fixture *fixture, const char *bytes, size_t count) {
  struct pawl_evaluator evaluator;
  open_evaluator(fixture, &evaluator);
  assert_int_equal(next(fixture).news, PAWL_POOL_READY);
  send_two(fixture);
  take_one(&evaluator, 1, false);
  write_bytes(evaluator.answers, bytes, count);
  write_text(evaluator.answers, "{\"answer\":2,\"result\":{}}\n");
  const struct pawl_pool_event first = next(fixture), second = next(fixture);
  assert_int_equal(first.news, PAWL_POOL_LOST);
  assert_int_equal(first.tag, 71);
  assert_true(first.taken);
  assert_int_equal(second.news, PAWL_POOL_LOST);
  assert_int_equal(second.tag, 72);
  assert_false(second.taken);
  assert_int_equal(next(fixture).news, PAWL_POOL_NOTHING);
  assert_int_equal(stops, 1);
  assert_int_equal(starts, 2); /* it is not started again */
  assert_true(fixture->pool.members[0].gone);
  assert_int_equal(pawl_pool_left(&fixture->pool), 1);
  OK(pawl_evaluator_poll(&evaluator, &(struct pawl_error){0}));
  assert_true(evaluator.ended);
  pawl_evaluator_close(&evaluator);
}

#define LINE(text) \
  { text "\n", sizeof(text) }

static void test_a_line_that_cannot_be_right(void **state) {
  (void)state;
  static const struct {
    const char *bytes;
    size_t count;
  } lines[] = {LINE("\0\xffgarbage"),
               LINE(""),
               LINE("[1,2]"),
               LINE("{\"answer\":\"1\",\"result\":{}}"),
               LINE("{\"answer\":1}"),
               LINE("{\"answer\":1,\"result\":7}"),
               LINE("{\"ready\":null}"),
               LINE("{\"ready\":{},\"next\":4}")};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
    void *fixture = NULL;
    set_up(&fixture);
    expect_distrust(fixture, lines[i].bytes, lines[i].count);
    tear_down(&fixture);
  }
}

/* An answer that is late, or that answers an unknown request, is no reason to lose an evaluator. */
static void test_answers_that_nobody_waits_for(void **state) {
  struct fixture *fixture = *state;
  struct pawl_evaluator evaluator;
  open_evaluator(fixture, &evaluator);
  assert_int_equal(next(fixture).news, PAWL_POOL_READY);
  write_text(evaluator.answers, "{\"answer\":99}\n{}\n");
  assert_int_equal(next(fixture).news, PAWL_POOL_NOTHING);
  send_two(fixture);
  take_one(&evaluator, 1, true);
  assert_int_equal(next(fixture).news, PAWL_POOL_ANSWER);
  assert_string_equal(
      pawl_pool_line(&fixture->pool, 0),
      pawl_arena_printf(&fixture->arena, "%s:5", fixture->pool.members[0].answers.path));
  pawl_evaluator_close(&evaluator);
}

/* All have the same few seconds: they are asked first, and what the first takes the others do not
 * have. */
static void test_one_stays(void **state) {
  struct fixture *fixture = *state;
  pawl_pool_dismiss_others(&fixture->pool, 1);
  assert_int_equal(stops, 3);
  assert_int_equal(asked_before_the_first, 3);
  assert_int_equal(pawl_pool_left(&fixture->pool), 1);
  assert_false(fixture->pool.members[1].gone);
  for (int i = 0; i < stops; i++) assert_true(patiences[i] <= PAWL_END_SECONDS - i * STOP_SECONDS);
  assert_true(patiences[0] > PAWL_END_SECONDS / 2);
}

static void test_a_file_in_the_way(void **state) {
  struct fixture *fixture = *state;
  struct pawl_words words = {0};
  struct pawl_error err = {0};
  struct pawl_pool pool;
  const char *path = pawl_arena_printf(&fixture->arena, "%s/file", fixture->folder);
  FILE *file = fopen(path, "w");
  fclose(file);
  const struct pawl_pool_plan plan = {.executor = &here, .evaluators = 2, .words = &words};
  assert_int_not_equal(pawl_pool_start(&pool, &plan, path, &fixture->arena, &fixture->log, &err),
                       PAWL_OK);
  assert_non_null(strstr(err.message, path));
  pawl_pool_end(&pool); /* the pool has no members */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_answers_come_back, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_a_later_request_is_taken_first, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_what_nobody_has_begun_with_is_taken_back, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_a_process_in_the_place_of_another, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_an_earlier_process_is_left_out, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_silence, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_a_line_that_is_cut_off, set_up, tear_down),
      cmocka_unit_test(test_a_line_that_cannot_be_right),
      cmocka_unit_test_setup_teardown(test_answers_that_nobody_waits_for, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_one_stays, set_up_four, tear_down),
      cmocka_unit_test_setup_teardown(test_a_file_in_the_way, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
