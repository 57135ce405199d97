/* SPDX-License-Identifier: Apache-2.0 */
/* One suite for the three drivers of workers: what any of them must do, whatever the code under
   test does. Arguments: the folder of the hostile plug-ins, behave.py. */
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scale_fixture.h"
#include "worker/driver.h"

static const char *plugins, *script;

struct driver {
  const char *name;
  enum pawl_worker_driver id;
  bool prepares; /* is asked to prepare and to run; else only to be timed */
};
enum {
  PLUGIN = 1,
  PROTOCOL = 2,
  COMMAND = 4,
  TALKING = PLUGIN | PROTOCOL,
  ALL = TALKING | COMMAND
};
static const struct driver drivers[] = {{"plugin", PAWL_DRIVER_PLUGIN, true},
                                        {"protocol", PAWL_DRIVER_PROTOCOL, true},
                                        {"command", PAWL_DRIVER_COMMAND, false}};

struct behaviour {
  const char *name;
  int drivers; /* that can show it */
  enum pawl_worker_cause cause;
  const char *says; /* part of the message */
};
static const struct behaviour behaviours[] = {
    {"honest", ALL, PAWL_CAUSE_NONE, NULL},
    {"prints", ALL, PAWL_CAUSE_NONE, NULL},
    {"sees_secret", ALL, PAWL_CAUSE_NONE, NULL},
    {"segfault", ALL, PAWL_CAUSE_SIGNAL, "killed by SIGSEGV (Segmentation fault)"},
    {"segfault", ALL, PAWL_CAUSE_SIGNAL, "about to fall"},
    {"abort", ALL, PAWL_CAUSE_SIGNAL, "killed by SIGABRT"},
    {"forks", TALKING, PAWL_CAUSE_SIGNAL, "killed by SIGABRT"},
    {"exit_zero", TALKING, PAWL_CAUSE_EXIT, "exited with status 0 before it answered"},
    {"exit_three", COMMAND, PAWL_CAUSE_EXIT,
     "exited with status 3 while pawl timed it; it printed last: no such thing"},
    {"hang", ALL, PAWL_CAUSE_TIMEOUT, "timed out after 2 s"},
    {"stop", TALKING, PAWL_CAUSE_TIMEOUT, "timed out after 2 s; a signal had stopped it"},
    {"stop", COMMAND, PAWL_CAUSE_TIMEOUT, "timed out after 2 s"},
    {"allocates", TALKING, PAWL_CAUSE_MEMORY,
     "ran out of memory: its limit is 128 MiB beyond the tensors"},
    {"error_number", TALKING, PAWL_CAUSE_REPORTED, "launch"},
};

struct one_case {
  const struct driver *driver;
  const struct behaviour *behaviour;
};

static pawl_status start(struct fixture *f, const struct one_case *one) {
  char plugin[512];
  snprintf(plugin, sizeof plugin, "%s/hostile_%s.so", plugins, one->behaviour->name);
  const char *protocol[] = {"python3", script, one->behaviour->name, NULL};
  const char *command[] = {"python3", script, "command", one->behaviour->name, NULL};
  const bool short_time = one->behaviour->cause == PAWL_CAUSE_TIMEOUT;
  const struct pawl_worker_options options = {
      .driver = one->driver->id,
      .role = PAWL_ROLE_KERNEL,
      .name = "under_test",
      .plugin = plugin,
      .argv = one->driver->id == PAWL_DRIVER_COMMAND ? command : protocol,
      .tensors = &f->tensors,
      .memory_limit = (uint64_t)128 << 20,
      .timeout_seconds = short_time ? 2 : 20,
  };
  return pawl_worker_start(&f->worker, &options, &f->err);
}

/* The first status that is not PAWL_OK of describe, prepare, run and time, or PAWL_OK. */
static pawl_status use(struct fixture *f, const struct driver *driver) {
  const struct pawl_time_request request = {
      .warmup = 1, .samples = 2, .cache = PAWL_CACHE_COLD, .flush_bytes = 4096};
  struct pawl_time_reply reply;
  if (driver->prepares) {
    struct pawl_kernel_info info;
    const char *reason = "never set";
    double seconds = -1;
    PAWL_TRY(pawl_worker_describe_kernel(f->worker, &f->arena, &info, &f->err));
    pawl_json_release(&info.environment);
    assert_string_equal(info.operator_name, "scale");
    assert_int_equal(info.device, PAWL_CPU);
    assert_true(info.deterministic);
    PAWL_TRY(fixture_prepare(f, &reason));
    assert_null(reason);
    PAWL_TRY(pawl_worker_run(f->worker, 1, &seconds, &f->err));
    assert_true(seconds >= 0 && seconds < 20);
    assert_true(fixture_is_right(f, 1));
    assert_false(fixture_is_right(f, 0));
  }
  PAWL_TRY(pawl_worker_time(f->worker, &request, &f->arena, &reply, &f->err));
  assert_int_equal(reply.count, 2);
  assert_true(reply.seconds[0] > 0 && reply.seconds[0] + reply.seconds[1] <= reply.wall_seconds);
  if (driver->prepares) {
    assert_true(fixture_is_right(f, 0) && fixture_is_right(f, 1));
    assert_string_not_equal(reply.hashes[0], reply.hashes[1]);
  }
  return PAWL_OK;
}

static void behaves(void **state) {
  const struct one_case *one = *state;
  const struct behaviour *expected = one->behaviour;
  struct fixture f;
  fixture_init(&f);
  if (start(&f, one)) fail_msg("%s", f.err.message);
  const enum pawl_status_code status = use(&f, one->driver);
  const enum pawl_worker_cause cause = pawl_worker_cause(f.worker);
  if (!expected->says) {
    if (status != PAWL_OK) fail_msg("%s", f.err.message);
    assert_int_equal(cause, PAWL_CAUSE_NONE);
  } else {
    assert_int_equal(status, PAWL_FAILED);
    assert_int_equal(f.err.code, PAWL_FAILED);
    if (!strstr(f.err.message, expected->says))
      fail_msg("'%s' not in: %s", expected->says, f.err.message);
    if (cause != expected->cause)
      fail_msg("cause %d, not %d: %s", cause, expected->cause, f.err.message);
    assert_null(strchr(f.err.message, '\n'));
    /* a dead worker stays dead and says so; a worker that reported can be asked again */
    if (one->driver->prepares) {
      assert_int_equal(f.worker->process.pid > 0, cause == PAWL_CAUSE_REPORTED);
      const char *reason;
      const enum pawl_status_code again = fixture_prepare(&f, &reason);
      assert_int_equal(again, cause == PAWL_CAUSE_REPORTED ? PAWL_OK : PAWL_FAILED);
    }
  }
  if (!strcmp(expected->name, "prints") && one->driver->prepares) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text log = {0};
    pawl_log_tail_drain(&f.worker->log);
    pawl_log_tail_text(&f.worker->log, 20, "\n", &log);
    assert_non_null(strstr(pawl_text_string(&log), "line of sixty-four bytes"));
  }
  fixture_release(&f);
}

static void refuses_a_shape(void **state) {
  const struct one_case *one = *state;
  struct fixture f;
  fixture_init(&f);
  f.dims[0].value = 7;
  const char *reason = NULL;
  assert_int_equal(start(&f, one), PAWL_OK);
  assert_int_equal(fixture_prepare(&f, &reason), PAWL_OK);
  assert_string_equal(reason, "n must not be 7");
  double seconds;
  assert_int_equal(pawl_worker_run(f.worker, 0, &seconds, &f.err), PAWL_FAILED);
  fixture_release(&f);
}

static void answers_unknown_methods(void **state) {
  const struct one_case *one = *state;
  struct fixture f;
  fixture_init(&f);
  json_t *result = NULL;
  assert_int_equal(start(&f, one), PAWL_OK);
  assert_int_equal(pawl_worker_call(f.worker, "sing", NULL, &result, &f.err), PAWL_UNDECIDED);
  assert_non_null(strstr(f.err.message, "sing"));
  assert_null(result);
  fixture_release(&f);
}

static void is_not_there(void **state) {
  (void)state;
  struct fixture f;
  fixture_init(&f);
  const char *argv[] = {"/nowhere/program", NULL};
  struct pawl_worker_options options = {.role = PAWL_ROLE_KERNEL,
                                        .name = "absent",
                                        .plugin = "/nowhere/k.so",
                                        .argv = argv,
                                        .timeout_seconds = 5};
  static const enum pawl_status_code expected[] = {PAWL_NO_INPUT, PAWL_UNAVAILABLE,
                                                   PAWL_UNAVAILABLE};
  for (size_t i = 0; i < sizeof drivers / sizeof *drivers; i++) {
    options.driver = drivers[i].id;
    assert_int_equal(pawl_worker_start(&f.worker, &options, &f.err), expected[i]);
    assert_non_null(strstr(f.err.message, "/nowhere/"));
    assert_null(f.worker);
  }
  fixture_release(&f);
}

/* Whether the process is gone, or a zombie that nobody has collected yet. */
static bool is_gone(long pid) {
  char path[64], state = 'X';
  snprintf(path, sizeof path, "/proc/%ld/stat", pid);
  FILE *file = fopen(path, "r");
  if (!file) return true;
  if (fscanf(file, "%*d %*s %c", &state) != 1) state = 'X';
  fclose(file);
  return state == 'Z' || state == 'X';
}

static bool goes_within_two_seconds(long pid) {
  for (int i = 0; i < 200 && !is_gone(pid); i++) pawl_sleep_seconds(0.01);
  return is_gone(pid);
}

/* Pawl is killed in the middle of a request: the worker does not outlive it. */
static void dies_with_pawl(void **state) {
  const struct one_case *one = *state;
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  const pid_t pawl = fork();
  assert_true(pawl >= 0);
  if (pawl == 0) {
    struct fixture f;
    fixture_init(&f);
    const char *reason;
    double seconds;
    if (start(&f, one) || fixture_prepare(&f, &reason)) _exit(1);
    const long pid = f.worker->process.pid;
    if (write(ends[1], &pid, sizeof pid) != sizeof pid) _exit(1);
    _exit(pawl_worker_run(f.worker, 0, &seconds, &f.err) == PAWL_OK);
  }
  long worker = 0;
  assert_int_equal(read(ends[0], &worker, sizeof worker), sizeof worker);
  pawl_sleep_seconds(0.1);
  assert_false(is_gone(worker));
  kill(pawl, SIGKILL);
  assert_int_equal(waitpid(pawl, NULL, 0), pawl);
  assert_true(goes_within_two_seconds(worker));
  close(ends[0]), close(ends[1]);
}

/* It died between two requests: found when the next is sent, and no SIGPIPE ends pawl. */
static void died_while_idle(void **state) {
  const struct one_case *one = *state;
  struct fixture f;
  fixture_init(&f);
  const char *reason = NULL;
  assert_int_equal(start(&f, one), PAWL_OK);
  kill(f.worker->process.pid, SIGTERM);
  for (int i = 0; i < 200 && !is_gone(f.worker->process.pid); i++) pawl_sleep_seconds(0.01);
  assert_int_equal(fixture_prepare(&f, &reason), PAWL_FAILED);
  assert_int_equal(pawl_worker_cause(f.worker), PAWL_CAUSE_SIGNAL);
  assert_non_null(strstr(f.err.message, "SIGTERM"));
  fixture_release(&f);
}

/* The children that a worker leaves behind go with it: nobody is left in its process group. */
static void leaves_nobody_behind(void **state) {
  const struct one_case *one = *state;
  struct fixture f;
  fixture_init(&f);
  assert_int_equal(start(&f, one), PAWL_OK);
  const pid_t group = f.worker->process.pid;
  assert_int_equal(use(&f, one->driver), PAWL_FAILED);
  for (int i = 0; i < 200 && kill(-group, 0) == 0; i++) pawl_sleep_seconds(0.01);
  assert_int_equal(kill(-group, 0), -1);
  fixture_release(&f);
}

static size_t add(struct CMUnitTest *tests, size_t count, const char *what,
                  const struct driver *driver, const struct behaviour *behaviour,
                  CMUnitTestFunction function) {
  char *name = NULL;
  struct one_case *one = malloc(sizeof *one);
  if (!one || asprintf(&name, "%s: %s", driver->name, what) < 0) abort();
  *one = (struct one_case){driver, behaviour};
  tests[count] = (struct CMUnitTest){.name = name, .test_func = function, .initial_state = one};
  return count + 1;
}

static const struct behaviour *find(const char *name) {
  const struct behaviour *behaviour = behaviours;
  while (strcmp(behaviour->name, name) != 0) behaviour++;
  return behaviour;
}

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  plugins = argv[1];
  script = argv[2];
  setenv("PAWL_TEST_TOKEN", "hunter2", 1);
  setenv("PAWL_TEST_SECRET", "hunter2", 1);
  signal(SIGPIPE, SIG_DFL); /* the drivers must not rely on its being ignored */
  struct CMUnitTest tests[64] = {
      {.name = "a program or plug-in that is not there", .test_func = is_not_there}};
  size_t count = 1;
  for (size_t d = 0; d < sizeof drivers / sizeof *drivers; d++) {
    for (size_t b = 0; b < sizeof behaviours / sizeof *behaviours; b++) {
      if (behaviours[b].drivers & 1 << d)
        count = add(tests, count, behaviours[b].name, &drivers[d], &behaviours[b], behaves);
    }
    count =
        add(tests, count, "unknown method", &drivers[d], &behaviours[0], answers_unknown_methods);
    if (!drivers[d].prepares) continue;
    count = add(tests, count, "refuses a shape", &drivers[d], &behaviours[0], refuses_a_shape);
    count = add(tests, count, "died while idle", &drivers[d], &behaviours[0], died_while_idle);
    count = add(tests, count, "dies with pawl", &drivers[d], find("hang"), dies_with_pawl);
    count =
        add(tests, count, "leaves nobody behind", &drivers[d], find("forks"), leaves_nobody_behind);
  }
  const int failed = _cmocka_run_group_tests("workers", tests, count, NULL, NULL);
  for (size_t i = 1; i < count; i++) {
    free((void *)(uintptr_t)tests[i].name);
    free(tests[i].initial_state);
  }
  return failed;
}
