/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
/* cmocka wants these first */
#include <cmocka.h>

#include "forge/baseline_merge.h"
#include "net/http.h"

static struct pawl_http_response answer(long status) {
  return (struct pawl_http_response){.status = status, .retry_after = NAN, .limit_reset = NAN, .remaining = -1};
}

static void test_final_answers(void **state) {
  (void)state;
  static const long statuses[] = {200, 201, 204, 301, 400, 401, 403, 404, 422, 501};
  for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
    const struct pawl_http_response response = answer(statuses[i]);
    assert_true(pawl_http_wait_after(&response, true, 1, 1000) < 0);
  }
}

static void test_retry_after_goes_first(void **state) {
  (void)state;
  struct pawl_http_response response = answer(429);
  response.retry_after = 7;
  response.remaining = 0;
  response.limit_reset = 5000;
  assert_true(pawl_http_wait_after(&response, false, 1, 1000) == 7);
  response.status = 403;
  assert_true(pawl_http_wait_after(&response, false, 1, 1000) == 7);
  response.status = 503;
  assert_true(pawl_http_wait_after(&response, false, 1, 1000) == 7);
}

static void test_then_the_reset(void **state) {
  (void)state;
  struct pawl_http_response response = answer(403);
  response.remaining = 0;
  response.limit_reset = 1030;
  assert_true(pawl_http_wait_after(&response, false, 1, 1000) == 31);
  assert_true(pawl_http_wait_after(&response, false, 1, 2000) == 1); /* a clock that is ahead */
  response.remaining = 10;                                           /* not the limit: no permission */
  assert_true(pawl_http_wait_after(&response, false, 1, 1000) < 0);
}

static void test_else_a_minute_and_more(void **state) {
  (void)state;
  struct pawl_http_response response = answer(403);
  pawl_text_add(&response.body, "{\"message\": \"You have exceeded a secondary rate limit\"}");
  assert_true(pawl_http_wait_after(&response, false, 1, 1000) == 60);
  assert_true(pawl_http_wait_after(&response, false, 2, 1000) == 120);
  pawl_http_response_clear(&response);
}

static void test_server_errors_only_when_repeatable(void **state) {
  (void)state;
  const struct pawl_http_response response = answer(502);
  assert_true(pawl_http_wait_after(&response, false, 1, 0) < 0);
  assert_true(pawl_http_wait_after(&response, true, 1, 0) == 1);
  assert_true(pawl_http_wait_after(&response, true, 3, 0) == 4);
  assert_true(pawl_http_wait_after(&response, true, 30, 0) == 60);
}

static void test_addresses(void **state) {
  (void)state;
  static const char *const bad[] = {
      "", "nonsense", "ftp://host/", "file:///etc/passwd", "http://host/", "https://user:secret@host/", "https://"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const struct pawl_http_request request = {.url = bad[i], .credential = "t0ken"};
    struct pawl_http_response response = {0};
    struct pawl_error err = {0};
    assert_int_equal(pawl_http_send(&(struct pawl_http_policy){0}, &request, &response, &err), PAWL_USAGE);
    assert_null(strstr(err.message, "t0ken"));
    assert_null(strstr(err.message, "secret"));
  }
}

static void count_sleep(void *context, double seconds) {
  *(double *)context += seconds;
}

static void test_refused_connections_are_tried_again(void **state) {
  (void)state;
  double slept = 0;
  const struct pawl_http_policy policy = {.attempts = 4, .sleep = count_sleep, .context = &slept};
  /* port 1 of this machine: nobody listens, so even a POST cannot have arrived */
  const struct pawl_http_request request = {
      .method = "POST", .url = "http://127.0.0.1:1/x?secret=1", .body = "{}", .body_length = 2};
  struct pawl_http_response response = {0};
  struct pawl_error err = {0};
  assert_int_equal(pawl_http_send(&policy, &request, &response, &err), PAWL_UNAVAILABLE);
  assert_true(slept == 1 + 2 + 4);
  assert_null(strstr(err.message, "secret"));
}

static void test_escape(void **state) {
  (void)state;
  struct pawl_text text = {0};
  pawl_url_escape("a-Z_0.~/ ?&=#%\xc3\xa9\n", &text);
  assert_string_equal(text.data, "a-Z_0.~%2F%20%3F%26%3D%23%25%C3%A9%0A");
  pawl_text_clear(&text);
}

/* --- two lines of moves --- */

static struct pawl_baseline_entry entry(const char *case_name, double ms, const char *commit) {
  return (struct pawl_baseline_entry){
      .kernel_name = "k", .case_name = case_name, .hardware = "h", .median_ms = ms, .git_commit = commit};
}

static double merged_ms(double base_ms, double ours_ms, double theirs_ms, size_t *changed) {
  struct pawl_baseline_entry b = entry("c", base_ms, "b"), o = entry("c", ours_ms, ours_ms == base_ms ? "b" : "o"),
                             t = entry("c", theirs_ms, theirs_ms == base_ms ? "b" : "t");
  const struct pawl_baseline base = {.entries = &b, .count = base_ms > 0}, ours = {.entries = &o, .count = ours_ms > 0},
                             theirs = {.entries = &t, .count = theirs_ms > 0};
  struct pawl_arena arena = {0};
  struct pawl_baseline merged;
  const struct pawl_baseline_entry *first;
  pawl_baseline_merge(&base, &ours, &theirs, &arena, &merged, changed, &first);
  assert_int_equal(merged.count, 1);
  assert_true((first != NULL) == (*changed > 0));
  const double ms = merged.entries[0].median_ms;
  pawl_arena_clear(&arena);
  return ms;
}

static void test_merge(void **state) {
  (void)state;
  size_t changed;
  assert_true(merged_ms(9, 9, 9, &changed) == 9 && changed == 0); /* nobody moved */
  assert_true(merged_ms(9, 7, 9, &changed) == 7 && changed == 1); /* we did */
  assert_true(merged_ms(9, 9, 7, &changed) == 7 && changed == 0); /* they did */
  assert_true(merged_ms(9, 7, 8, &changed) == 7 && changed == 1); /* both: the faster */
  assert_true(merged_ms(9, 8, 7, &changed) == 7 && changed == 0);
  assert_true(merged_ms(0, 7, 8, &changed) == 7 && changed == 1); /* both new */
  assert_true(merged_ms(0, 8, 0, &changed) == 8 && changed == 1); /* new, theirs has none */
  assert_true(merged_ms(7, 9, 7, &changed) == 9 && changed == 1); /* a loss that we accepted */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_final_answers),
      cmocka_unit_test(test_retry_after_goes_first),
      cmocka_unit_test(test_then_the_reset),
      cmocka_unit_test(test_else_a_minute_and_more),
      cmocka_unit_test(test_server_errors_only_when_repeatable),
      cmocka_unit_test(test_addresses),
      cmocka_unit_test(test_refused_connections_are_tried_again),
      cmocka_unit_test(test_escape),
      cmocka_unit_test(test_merge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
