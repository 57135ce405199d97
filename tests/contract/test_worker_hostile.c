/* SPDX-License-Identifier: Apache-2.0 */
/* pawl names the right cause of each hostile plug-in in one clear line, and goes on.
   test_worker_contract.c has the plug-ins that exist for the other drivers too. Argument: the
   folder of the hostile plug-ins. */
#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/cgroup.h"
#include "process/shield.h"
#include "scale_fixture.h"

static const char *plugins;

struct hostile {
  const char *name;
  enum pawl_worker_cause cause; /* PAWL_CAUSE_NONE: it does no harm */
  const char *says;
};

/* Fails while it is loaded: pawl_worker_start. */
static const struct hostile at_start[] = {
    {"bad_version", PAWL_CAUSE_REPORTED, "has ABI version 2, this pawl has 1"},
    {"short_struct", PAWL_CAUSE_REPORTED, "struct_size is 16"},
    {"no_launch", PAWL_CAUSE_REPORTED, "has no 'launch', which is required"},
    {"no_entry", PAWL_CAUSE_REPORTED, "exports no 'pawl_kernel_entry'"},
    {"null_entry", PAWL_CAUSE_REPORTED, "returned no kernel"},
    {"undefined_symbol", PAWL_CAUSE_REPORTED, "nobody_defines_this"},
    {"crashes_on_load", PAWL_CAUSE_SIGNAL, "killed by SIGABRT (Aborted) while it started"},
    {"no_module", PAWL_CAUSE_REPORTED, "cannot load the plug-in"}, /* a text file, made below */
};

/* Fails when it is prepared, run or timed. */
static const struct hostile at_work[] = {
    {"stack_overflow", PAWL_CAUSE_SIGNAL, "killed by SIGSEGV"},
    {"kill_itself", PAWL_CAUSE_SIGNAL, "killed by SIGKILL"},
    {"cpu_limit", PAWL_CAUSE_SIGNAL, "killed by SIG"},
    {"unchecked_malloc", PAWL_CAUSE_MEMORY, "ran out of memory"},
    {"large_workspace", PAWL_CAUSE_REPORTED, "'memory_limit' of 'measure' does not allow"},
    {"workspace_before", PAWL_CAUSE_REPORTED, "wrote outside its workspace: before it"},
    {"workspace_after", PAWL_CAUSE_REPORTED, "wrote outside its workspace: after it"},
    {"closes_descriptors", PAWL_CAUSE_EXIT, "cut its connection to pawl"},
    {"floods_frames", PAWL_CAUSE_PROTOCOL, "breaks the worker protocol"},
    {"thread_exit", PAWL_CAUSE_TIMEOUT, "timed out"},
    {"error_number", PAWL_CAUSE_REPORTED, "launch returned error 42: the answer is wrong"},
    {"jumps", PAWL_CAUSE_SIGNAL, "killed by SIG"},
    {"stops_pawl", PAWL_CAUSE_SIGNAL,
     "killed by SIGSYS (Bad system call): it sent a signal to pawl's process"},
    {"traces_pawl", PAWL_CAUSE_SIGNAL,
     "killed by SIGSYS (Bad system call): it sent a signal to pawl's process"},
    {"writes_late", PAWL_CAUSE_PROTOCOL, "wrote its outputs after the call returned"},
    {"writes_frames", PAWL_CAUSE_NONE, NULL},
    {"fake_clock", PAWL_CAUSE_NONE, NULL},
    {"resizes_arena", PAWL_CAUSE_NONE, NULL},
    {"changes_inputs", PAWL_CAUSE_NONE, NULL}, /* found by whoever compares: see below */
};

/* Bounded by its control group. */
static const struct hostile in_groups[] = {
    {"fork_bomb", PAWL_CAUSE_PROCESSES,
     "started too many processes: its limit is 64 processes and threads"},
    {"hogs_in_children", PAWL_CAUSE_MEMORY,
     "ran out of memory: its limit is 128 MiB beyond the tensors"},
};

static pawl_status start(struct fixture *f, const struct hostile *hostile) {
  char path[512];
  snprintf(path, sizeof path, "%s/hostile_%s.so", plugins, hostile->name);
  const struct pawl_worker_options options = {
      .driver = PAWL_DRIVER_PLUGIN,
      .role = PAWL_ROLE_KERNEL,
      .name = hostile->name,
      .plugin = path,
      .tensors = &f->tensors,
      .memory_limit = (uint64_t)128 << 20,
      .most_processes = 64,
      .timeout_seconds = hostile->cause == PAWL_CAUSE_TIMEOUT  ? 1
                         : hostile->cause == PAWL_CAUSE_MEMORY ? 200
                                                               : 20,
  };
  return pawl_worker_start(&f->worker, &options, &f->err);
}

static pawl_status use(struct fixture *f, struct pawl_time_reply *reply) {
  const struct pawl_time_request request = {
      .warmup = 2, .samples = 20, .cache = PAWL_CACHE_COLD, .flush_bytes = 1 << 20};
  const char *reason = NULL;
  PAWL_TRY(fixture_prepare(f, &reason));
  assert_null(reason);
  return pawl_worker_time(f->worker, &request, &f->arena, reply, &f->err);
}

static void is_one_clear_line(const struct fixture *f, const struct hostile *hostile) {
  if (!strstr(f->err.message, hostile->says))
    fail_msg("'%s' not in: %s", hostile->says, f->err.message);
  assert_non_null(strstr(f->err.message, hostile->name));
  for (const char *c = f->err.message; *c; c++) assert_true((unsigned char)*c >= 0x20);
}

static void fails_at_start(void **state) {
  const struct hostile *hostile = *state;
  struct fixture f;
  fixture_init(&f);
  assert_int_equal(start(&f, hostile), PAWL_FAILED);
  is_one_clear_line(&f, hostile);
  fixture_release(&f);
}

static void fails_at_work(void **state) {
  const struct hostile *hostile = *state;
  if (hostile->says && strstr(hostile->says, "SIGSYS") && !pawl_shield_available())
    skip(); /* would stop this test */
  if (hostile->says && strstr(hostile->says, "memory_limit") && getenv("PAWL_TEST_SANITIZED"))
    skip(); /* a sanitizer's process has no limit of addresses */
  struct fixture f;
  fixture_init(&f);
  struct pawl_time_reply reply = {0};
  if (start(&f, hostile)) fail_msg("%s", f.err.message);
  const enum pawl_status_code status = use(&f, &reply);
  if (!hostile->says) {
    if (status != PAWL_OK) fail_msg("%s", f.err.message);
    for (size_t i = 0; i < reply.count; i++)
      assert_true(reply.seconds[i] > 20e-9 && reply.seconds[i] < 1);
    assert_int_equal(pawl_worker_cause(f.worker), PAWL_CAUSE_NONE);
  } else {
    assert_int_equal(status, PAWL_FAILED);
    is_one_clear_line(&f, hostile);
    assert_int_equal(pawl_worker_cause(f.worker), hostile->cause);
  }
  /* whatever it did, the shared memory is whole and inputs are as they were, except after the
   * kernel that changes them
   */
  if (strcmp(hostile->name, "changes_inputs") != 0)
    assert_true(fixture_tensor(&f, 0, 0)[3] == 4);
  else
    assert_true(fixture_tensor(&f, 0, 0)[3] == 0);
  fixture_release(&f);
}

/* Whether a group of this process is left. */
static bool group_is_left(const struct pawl_cgroup_place *place) {
  char name[64];
  bool found = false;
  snprintf(name, sizeof name, "pawl-worker.%d.", (int)getpid());
  for (int i = 0; i < PAWL_CGROUP_FOLDERS; i++) {
    DIR *folder = place->folders[i] ? opendir(place->folders[i]) : NULL;
    for (const struct dirent *entry; folder && (entry = readdir(folder));)
      found = found || pawl_starts_with(entry->d_name, name);
    if (folder) closedir(folder);
  }
  return found;
}

/* With namespaces or without, nothing of it is left. */
static void ends_with_its_group(void **state) {
  const struct pawl_cgroup_place *place = pawl_cgroup_here();
  if (place->bounds != (PAWL_BOUNDS_PROCESSES | PAWL_BOUNDS_MEMORY)) skip();
  fails_at_work(state);
  assert_false(group_is_left(place));
}

static size_t add(struct CMUnitTest *tests, size_t count, const struct hostile *items,
                  size_t item_count, CMUnitTestFunction function) {
  for (size_t i = 0; i < item_count; i++) {
    tests[count++] = (struct CMUnitTest){.name = items[i].name,
                                         .test_func = function,
                                         .initial_state = (void *)(uintptr_t)&items[i]};
  }
  return count;
}

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  plugins = argv[1];
  char path[512];
  snprintf(path, sizeof path, "%s/hostile_no_module.so", plugins);
  FILE *file = fopen(path, "w");
  if (!file || fputs("this is no shared object\n", file) < 0 || fclose(file) != 0) return 2;
  struct CMUnitTest tests[64] = {{0}};
  size_t count = add(tests, 0, at_start, sizeof at_start / sizeof *at_start, fails_at_start);
  count = add(tests, count, at_work, sizeof at_work / sizeof *at_work, fails_at_work);
  count = add(tests, count, in_groups, sizeof in_groups / sizeof *in_groups, ends_with_its_group);
  return _cmocka_run_group_tests("hostile plug-ins", tests, count, NULL, NULL);
}
