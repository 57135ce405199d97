/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
/* cmocka wants these first */
#include <cmocka.h>

#include "net/http.h"

static struct pawl_http_response answer(long status) {
  return (struct pawl_http_response){
      .status = status, .retry_after = NAN, .limit_reset = NAN, .remaining = -1};
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
  response.remaining = 10; /* not the limit: no permission */
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
  static const char *const bad[] = {"",
                                    "nonsense",
                                    "ftp://host/",
                                    "file:///etc/passwd",
                                    "http://host/",
                                    "https://user:secret@host/",
                                    "https://"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const struct pawl_http_request request = {.url = bad[i], .credential = "t0ken"};
    struct pawl_http_response response = {0};
    struct pawl_error err = {0};
    assert_int_equal(pawl_http_send(&(struct pawl_http_policy){0}, &request, &response, &err),
                     PAWL_USAGE);
    assert_null(strstr(err.message, "t0ken"));
    assert_null(strstr(err.message, "secret"));
  }
}

static void count_sleep(void *context, double seconds) { *(double *)context += seconds; }

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

/* --- a server that gives these answers, one a connection --- */

struct server {
  int listener;
  const char *const *answers; /* NULL-terminated */
  char url[64];
  pthread_t thread;
};

static void *serve(void *context) {
  const struct server *server = context;
  char request[4096];
  for (size_t i = 0; server->answers[i]; i++) {
    const int connection = accept(server->listener, NULL, NULL);
    if (connection < 0 || read(connection, request, sizeof request) <= 0) break;
    const size_t length = strlen(server->answers[i]);
    if (write(connection, server->answers[i], length) != (ssize_t)length) break;
    close(connection);
  }
  return NULL;
}

static void start_server(struct server *server, const char *const *answers) {
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t length = sizeof address;
  *server = (struct server){.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
                            .answers = answers};
  assert_true(server->listener >= 0);
  assert_int_equal(bind(server->listener, (struct sockaddr *)&address, sizeof address), 0);
  assert_int_equal(listen(server->listener, 4), 0);
  assert_int_equal(getsockname(server->listener, (struct sockaddr *)&address, &length), 0);
  snprintf(server->url, sizeof server->url, "http://127.0.0.1:%d/a", ntohs(address.sin_port));
  assert_int_equal(pthread_create(&server->thread, NULL, serve, server), 0);
}

static void stop_server(struct server *server) {
  shutdown(server->listener, SHUT_RDWR);
  pthread_join(server->thread, NULL);
  close(server->listener);
}

static double new_year(void *context) {
  (void)context;
  return 1767225600; /* 2026 */
}

#define EMPTY "Content-Length: 0\r\nConnection: close\r\n\r\n"

/* Sends a GET to a server with these answers; returns how long it slept in between. */
static double get(const char *const *answers, struct pawl_http_response *response) {
  struct server server;
  struct pawl_error err = {0};
  double slept = 0;
  start_server(&server, answers);
  const struct pawl_http_policy policy = {
      .attempts = 2, .sleep = count_sleep, .now = new_year, .context = &slept};
  const struct pawl_http_request request = {.url = server.url};
  if (pawl_http_send(&policy, &request, response, &err) != PAWL_OK) fail_msg("%s", err.message);
  stop_server(&server);
  return slept;
}

static void test_retry_after_is_seconds_or_a_date(void **state) {
  (void)state;
  static const char *const waits[] = {
      "7", "Thu, 01 Jan 2026 00:00:07 GMT", "Thursday, 01-Jan-26 00:00:07 GMT",
      "Thu Jan  1 00:00:07 2026"}; /* RFC 9110, 5.6.7: three forms of a date */
  for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
    char later[256];
    struct pawl_http_response response = {0};
    snprintf(later, sizeof later, "HTTP/1.1 429 Too Many\r\nRetry-After: %s\r\n" EMPTY, waits[i]);
    const char *const answers[] = {later, "HTTP/1.1 200 OK\r\n" EMPTY, NULL};
    assert_true(get(answers, &response) == 7);
    assert_int_equal(response.status, 200);
    assert_true(isnan(response.retry_after)); /* the last answer names no time */
    pawl_http_response_clear(&response);
  }
}

static void test_a_date_that_has_passed(void **state) {
  (void)state;
  static const char *const answers[] = {
      "HTTP/1.1 429 Too Many\r\nRetry-After: Thu, 01 Jan 1970 00:00:07 GMT\r\n" EMPTY,
      "HTTP/1.1 200 OK\r\n" EMPTY, NULL};
  struct pawl_http_response response = {0};
  assert_true(get(answers, &response) == 0);
  pawl_http_response_clear(&response);
}

static void test_headers_of_an_answer(void **state) {
  (void)state;
  static const char *const answers[] = {
      "HTTP/1.1 200 OK\r\nlink: <https://a/?page=1>; rel=\"prev\", <https://a/?page=3>; "
      "rel=\"next\"\r\n"
      "X-RateLimit-Remaining:  41 \r\nX-RateLimit-Reset: 5000\r\nRetry-After: soon\r\n" EMPTY,
      NULL};
  struct pawl_http_response response = {0};
  assert_true(get(answers, &response) == 0);
  assert_string_equal(response.next, "https://a/?page=3");
  assert_int_equal(response.remaining, 41);
  assert_true(response.limit_reset == 5000);
  assert_true(isnan(response.retry_after));
  pawl_http_response_clear(&response);
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
      cmocka_unit_test(test_retry_after_is_seconds_or_a_date),
      cmocka_unit_test(test_a_date_that_has_passed),
      cmocka_unit_test(test_headers_of_an_answer),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
