/* SPDX-License-Identifier: Apache-2.0 */
/* A worker does not start with other code than pawl built, and what it has loaded is that code. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/known_file.h"
#include "scale_fixture.h"

static const char *plugins;
static const struct pawl_seal_key key;

struct scene {
  char folder[64], plugin[96], copy[96];
  struct fixture f;
  struct pawl_arena arena;
  struct pawl_worker_options options;
};

static int set_up(void **state) {
  struct scene *s = pawl_alloc(1, sizeof *s);
  char good[512];
  strcpy(s->folder, "/tmp/pawl-test-code-XXXXXX");
  assert_non_null(mkdtemp(s->folder));
  snprintf(good, sizeof good, "%s/hostile_prints.so", plugins);
  snprintf(s->plugin, sizeof s->plugin, "%s/plugin.so", s->folder);
  snprintf(s->copy, sizeof s->copy, "%s/copy.so", s->folder);
  assert_int_equal(pawl_copy_file(good, s->plugin, NULL), PAWL_OK);
  assert_int_equal(pawl_copy_file(good, s->copy, NULL), PAWL_OK);
  fixture_init(&s->f);
  const char *path = s->plugin;
  s->options =
      (struct pawl_worker_options){.driver = PAWL_DRIVER_PLUGIN,
                                   .role = PAWL_ROLE_KERNEL,
                                   .name = "scale",
                                   .plugin = s->plugin,
                                   .files = pawl_known_files_take(&path, 1, &key, &s->arena),
                                   .tensors = &s->f.tensors,
                                   .timeout_seconds = 20};
  *state = s;
  return 0;
}

static int tear_down(void **state) {
  struct scene *s = *state;
  fixture_release(&s->f);
  pawl_arena_clear(&s->arena);
  assert_int_equal(pawl_remove_tree(s->folder, NULL), PAWL_OK);
  pawl_free(s);
  return 0;
}

static void assert_starts(struct scene *s, bool starts) {
  const enum pawl_status_code status = pawl_worker_start(&s->f.worker, &s->options, &s->f.err);
  if (status != (starts ? PAWL_OK : PAWL_FAILED)) fail_msg("%d: %s", (int)status, s->f.err.message);
  if (!starts) assert_non_null(strstr(s->f.err.message, "kernel 'scale': something changed '"));
  if (starts) pawl_worker_free(s->f.worker);
  s->f.worker = NULL;
}

/* Bytes at the end that change nothing of what the code does. */
static void write_into(const char *path) {
  FILE *file = fopen(path, "a");
  assert_true(file && fputs("more", file) >= 0 && fclose(file) == 0);
}

static void test_the_same_bytes_elsewhere_are_well(void **state) {
  struct scene *s = *state;
  assert_starts(s, true);
  assert_int_equal(rename(s->copy, s->plugin), 0);
  assert_starts(s, true);
  assert_int_equal(utimensat(AT_FDCWD, s->plugin, NULL, 0), 0);
  assert_starts(s, true);
}

static void test_overwritten(void **state) {
  struct scene *s = *state;
  struct stat info;
  assert_int_equal(stat(s->plugin, &info), 0);
  const int fd = open(s->plugin, O_RDWR);
  const char byte = 'x';
  assert_int_equal(pwrite(fd, &byte, 1, info.st_size - 1), 1);
  close(fd);
  const struct timespec times[] = {info.st_atim, info.st_mtim}; /* the same size, the same time */
  assert_int_equal(utimensat(AT_FDCWD, s->plugin, times, 0), 0);
  assert_starts(s, false);
}

static void test_swapped(void **state) {
  struct scene *s = *state;
  write_into(s->copy);
  assert_int_equal(rename(s->copy, s->plugin), 0);
  assert_starts(s, false);
  assert_int_equal(unlink(s->plugin), 0);
  assert_starts(s, false);
}

static void test_a_link_is_not_what_was_built(void **state) {
  struct scene *s = *state;
  assert_int_equal(unlink(s->plugin), 0);
  assert_int_equal(symlink(s->copy, s->plugin), 0);
  assert_starts(s, false);
}

/* Looked at again when the process has loaded it. */
static void test_changed_while_it_starts(void **state) {
  struct scene *s = *state;
  assert_int_equal(pawl_worker_launch(&s->f.worker, &s->options, &s->f.err), PAWL_OK);
  write_into(s->copy);
  assert_int_equal(rename(s->copy, s->plugin), 0);
  assert_int_equal(pawl_worker_greet(s->f.worker, &s->f.err), PAWL_FAILED);
  assert_non_null(strstr(s->f.err.message, "something changed"));
}

static bool call_is_right(struct scene *s) {
  const char *reason;
  double seconds;
  assert_int_equal(fixture_prepare(&s->f, &reason), PAWL_OK);
  memset(fixture_tensor(&s->f, 0, 1), 0, FIXTURE_BYTES);
  assert_int_equal(pawl_worker_run(s->f.worker, 0, &seconds, &s->f.err), PAWL_OK);
  return fixture_is_right(&s->f, 0);
}

/* A process that loads a second plug-in has no sandbox. */
static void use_plugin(struct scene *s, const char *path) {
  s->options.isolate = PAWL_ISOLATE_OFF;
  s->options.plugin = path;
  s->options.files = pawl_known_files_take(&path, 1, &key, &s->arena);
}

/* A process makes the calls of two versions of a kernel, which have the same names. */
static void test_two_versions_in_a_process_share_no_variable(void **state) {
  struct scene *s = *state;
  char plugin[512];
  snprintf(plugin, sizeof plugin, "%s/../test_shared_name.so", plugins);
  use_plugin(s, plugin);
  assert_int_equal(pawl_worker_start(&s->f.worker, &s->options, &s->f.err), PAWL_OK);
  assert_true(call_is_right(s));
  assert_false(call_is_right(s));
  assert_int_equal(pawl_copy_file(plugin, s->plugin, NULL), PAWL_OK);
  use_plugin(s, s->plugin);
  assert_int_equal(pawl_worker_load(s->f.worker, &s->options, &s->f.err), PAWL_OK);
  assert_true(call_is_right(s));
  assert_false(call_is_right(s));
}

static void test_what_a_process_loads_later_is_what_was_built(void **state) {
  struct scene *s = *state;
  use_plugin(s, s->plugin);
  assert_int_equal(pawl_worker_start(&s->f.worker, &s->options, &s->f.err), PAWL_OK);
  write_into(s->plugin);
  assert_int_equal(pawl_worker_load(s->f.worker, &s->options, &s->f.err), PAWL_FAILED);
  assert_non_null(strstr(s->f.err.message, "kernel 'scale': something changed '"));
}

static void test_a_process_says_why_it_loads_nothing(void **state) {
  struct scene *s = *state;
  char text[128];
  snprintf(text, sizeof text, "%s/plugin.c", s->folder);
  use_plugin(s, s->plugin);
  assert_int_equal(pawl_worker_start(&s->f.worker, &s->options, &s->f.err), PAWL_OK);
  s->options.plugin = text;
  s->options.files = NULL;
  assert_int_equal(pawl_worker_load(s->f.worker, &s->options, &s->f.err), PAWL_FAILED);
  assert_non_null(strstr(s->f.err.message, text));
  write_into(text);
  assert_int_equal(pawl_worker_load(s->f.worker, &s->options, &s->f.err), PAWL_FAILED);
  assert_non_null(strstr(s->f.err.message, "cannot load the plug-in"));
}

int main(int argc, char **argv) {
  assert_int_equal(argc, 2);
  plugins = argv[1];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_the_same_bytes_elsewhere_are_well, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_overwritten, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_swapped, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_a_link_is_not_what_was_built, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_changed_while_it_starts, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_two_versions_in_a_process_share_no_variable, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_what_a_process_loads_later_is_what_was_built, set_up,
                                      tear_down),
      cmocka_unit_test_setup_teardown(test_a_process_says_why_it_loads_nothing, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
