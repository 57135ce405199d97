/* SPDX-License-Identifier: Apache-2.0 */
/* A protocol worker that answers nonsense is condemned in one clear line, whatever the nonsense.
 * Argument: behave.py.
 */
#include <stdio.h>

#include "scale_fixture.h"

static const char *script;

struct nonsense {
  const char *name;
  enum pawl_worker_cause cause;
  const char *says;
};

static const struct nonsense hellos[] = {
    {"hello_bad_version", PAWL_CAUSE_PROTOCOL, "an unknown version of the protocol"},
    {"hello_bad_role", PAWL_CAUSE_PROTOCOL, "the wrong role"},
    {"hello_nonsense", PAWL_CAUSE_PROTOCOL, "not a JSON object"},
    {"hello_never", PAWL_CAUSE_TIMEOUT, "timed out after 2 s while it started"},
    {"hello_exit", PAWL_CAUSE_EXIT, "exited with status 1"},
    {"hello_exit", PAWL_CAUSE_EXIT, "it printed last: cannot import something"},
};
static const struct nonsense answers[] = {
    {"not_json", PAWL_CAUSE_PROTOCOL, "not valid JSON"},
    {"bad_utf8", PAWL_CAUSE_PROTOCOL, "not valid JSON"},
    {"nan_ns", PAWL_CAUSE_PROTOCOL, "not valid JSON"},
    {"duplicate_keys", PAWL_CAUSE_PROTOCOL, "not valid JSON"},
    {"deep", PAWL_CAUSE_PROTOCOL, "not valid JSON"},
    {"empty_frame", PAWL_CAUSE_PROTOCOL, "not valid JSON"},
    {"not_an_object", PAWL_CAUSE_PROTOCOL, "not a JSON object"},
    {"wrong_id", PAWL_CAUSE_PROTOCOL, "an answer to another request"},
    {"no_result", PAWL_CAUSE_PROTOCOL, "without a result"},
    {"result_of_wrong_type", PAWL_CAUSE_PROTOCOL, "without a result"},
    {"error_without_message", PAWL_CAUSE_PROTOCOL, "without kind and message"},
    {"too_long", PAWL_CAUSE_PROTOCOL, "2147483648 bytes"},
    {"partial_frame", PAWL_CAUSE_TIMEOUT, "in the middle of an answer"},
    {"dies_in_frame", PAWL_CAUSE_EXIT, "exited with status 5"},
    {"closes", PAWL_CAUSE_PROTOCOL, "closed its connection to pawl but did not exit"},
    {"negative_ns", PAWL_CAUSE_PROTOCOL, "not negative"},
    {"huge_ns", PAWL_CAUSE_PROTOCOL, "reports impossible times"},
};

static pawl_status start(struct fixture *f, const char *behaviour, double timeout) {
  const char *argv[] = {"python3", script, behaviour, NULL};
  const struct pawl_worker_options options = {.driver = PAWL_DRIVER_PROTOCOL,
                                              .role = PAWL_ROLE_KERNEL,
                                              .name = "under_test",
                                              .argv = argv,
                                              .tensors = &f->tensors,
                                              .timeout_seconds = timeout};
  return pawl_worker_start(&f->worker, &options, &f->err);
}

static void bad_hello(void **state) {
  const struct nonsense *one = *state;
  struct fixture f;
  fixture_init(&f);
  assert_int_equal(start(&f, one->name, one->cause == PAWL_CAUSE_TIMEOUT ? 2 : 20), PAWL_FAILED);
  if (!strstr(f.err.message, one->says)) fail_msg("'%s' not in: %s", one->says, f.err.message);
  fixture_release(&f);
}

static void refusal_is_absence(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f);
  assert_int_equal(start(&f, "hello_refusal", 20), PAWL_UNAVAILABLE);
  assert_int_equal(f.err.code, PAWL_UNAVAILABLE);
  assert_string_equal(f.err.message, "kernel 'under_test': no torch here");
  fixture_release(&f);
}

static void bad_answer(void **state) {
  const struct nonsense *one = *state;
  struct fixture f;
  fixture_init(&f);
  if (start(&f, one->name, one->cause == PAWL_CAUSE_TIMEOUT ? 2 : 20))
    fail_msg("%s", f.err.message);
  double seconds = -7;
  assert_int_equal(pawl_worker_run(f.worker, 0, &seconds, &f.err), PAWL_FAILED);
  if (!strstr(f.err.message, one->says)) fail_msg("'%s' not in: %s", one->says, f.err.message);
  assert_int_equal(pawl_worker_cause(f.worker), one->cause);
  assert_true(seconds == -7); /* untouched */
  fixture_release(&f);
}

/* Outputs that stay on the device: their hashes at the end of the request must be those of the last
 * calls. */
static pawl_status take_kept(const char *behaviour, struct pawl_time_reply *reply,
                             char message[2048]) {
  const struct pawl_time_request request = {.samples = 1, .cache = PAWL_CACHE_COLD, .keep = true};
  struct fixture f;
  const char *reason = NULL;
  fixture_init(&f);
  if (start(&f, behaviour, 20) || fixture_prepare(&f, &reason)) fail_msg("%s", f.err.message);
  const enum pawl_status_code status =
      pawl_worker_time(f.worker, &request, &f.arena, reply, &f.err);
  snprintf(message, 2048, "%s", f.err.message);
  fixture_release(&f);
  return status;
}

static void kept_outputs_are_looked_at(void **state) {
  (void)state;
  struct pawl_time_reply reply = {.shown = true};
  char message[2048];
  assert_int_equal(take_kept("standing_same", &reply, message), PAWL_OK);
  assert_false(reply.shown);
  assert_int_equal(take_kept("standing_other", &reply, message), PAWL_FAILED);
  if (!strstr(message, "wrote its outputs after the call returned")) fail_msg("%s", message);
  assert_int_equal(take_kept("standing_short", &reply, message), PAWL_FAILED);
  if (!strstr(message, "no hash of the outputs of every set in 'standing'"))
    fail_msg("%s", message);
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  script = argv[1];
  struct CMUnitTest tests[64] = {{.name = "refusal", .test_func = refusal_is_absence},
                                 {.name = "kept", .test_func = kept_outputs_are_looked_at}};
  size_t count = 2;
  for (size_t i = 0; i < sizeof hellos / sizeof *hellos; i++)
    tests[count++] =
        (struct CMUnitTest){hellos[i].name, bad_hello, NULL, NULL, (void *)(uintptr_t)&hellos[i]};
  for (size_t i = 0; i < sizeof answers / sizeof *answers; i++)
    tests[count++] = (struct CMUnitTest){answers[i].name, bad_answer, NULL, NULL,
                                         (void *)(uintptr_t)&answers[i]};
  return _cmocka_run_group_tests("nonsense", tests, count, NULL, NULL);
}
