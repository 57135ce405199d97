/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/reference_key.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* after the four above */
#include <cmocka.h>

#include "loop/kept_reference.h"

struct place {
  char folder[64];
  struct pawl_project project;
  struct pawl_kernel_spec spec;
  struct pawl_ready_kernel kernel;
  const char *words[3];
};

static void write_file(const struct place *place, const char *name, const char *content) {
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(place->folder, name);
  struct pawl_error err = {0};
  assert_int_equal(pawl_file_write(path, content, strlen(content), &err), PAWL_OK);
}

static int set_up(void **state) {
  struct place *place = pawl_alloc(1, sizeof *place);
  struct pawl_project *project = &place->project;
  snprintf(place->folder, sizeof place->folder, "/tmp/pawl-key-XXXXXX");
  assert_non_null(mkdtemp(place->folder));
  write_file(place, "reference.py", "import helper\n");
  write_file(place, "helper.py", "x = 1\n");
  place->words[0] = "python3", place->words[1] = "reference.py";
  place->spec = (struct pawl_kernel_spec){.name = "torch",
                                          .device = PAWL_CUDA,
                                          .reference = true,
                                          .kind = PAWL_FROM_PROTOCOL,
                                          .protocol = {place->words, 2}};
  place->kernel = (struct pawl_ready_kernel){.spec = &place->spec};
  project->paths = (struct pawl_paths){.home = place->folder,
                                       .folder = place->folder,
                                       .cache_folder = place->folder,
                                       .arena = &project->arena};
  char *python = pawl_arena_printf(&project->arena, "%s/share/pawl/python", place->folder);
  assert_int_equal(pawl_make_folders(python, NULL), PAWL_OK);
  project->devices.arena = &project->arena;
  project->devices.probed[PAWL_CUDA] = true;
  project->devices.found[PAWL_CUDA] = pawl_device_unknown(PAWL_CUDA);
  project->devices.found[PAWL_CUDA].name = "NVIDIA H200";
  project->devices.found[PAWL_CUDA].uuid = "GPU-1";
  project->devices.found[PAWL_CUDA].driver = "580.1";
  project->suite.measure = (struct pawl_measure_spec){.warmup = 1, .samples = 100, .processes = 6};
  *state = place;
  return 0;
}

static int tear_down(void **state) {
  struct place *place = *state;
  assert_int_equal(pawl_remove_tree(place->folder, NULL), PAWL_OK);
  pawl_arena_clear(&place->project.arena);
  pawl_free(place);
  return 0;
}

static struct pawl_hash key_of(struct place *place) {
  struct pawl_hash key;
  const char *reason = NULL;
  assert_true(pawl_reference_key(&place->project, &place->kernel, &key, &reason));
  return key;
}

/* The key is another than before; *key is then that. */
static void assert_changed(struct place *place, struct pawl_hash *key) {
  const struct pawl_hash now = key_of(place);
  assert_false(pawl_hash_equal(now, *key));
  *key = now;
}

static void test_what_changes_the_key(void **state) {
  struct place *place = *state;
  struct pawl_device *gpu = &place->project.devices.found[PAWL_CUDA];
  struct pawl_hash key = key_of(place);
  assert_true(pawl_hash_equal(key, key_of(place)));
  write_file(place, "notes.txt", "no code");
  assert_true(pawl_hash_equal(key, key_of(place)));
  write_file(place, "reference.py", "import helper  # edited\n");
  assert_changed(place, &key);
  write_file(place, "helper.py", "x = 2\n");
  assert_changed(place, &key);
  write_file(place, "share/pawl/python/pawl_torch.py", "y = 1\n");
  assert_changed(place, &key);
  gpu->driver = "590.2";
  assert_changed(place, &key);
  gpu->uuid = "GPU-2";
  assert_changed(place, &key);
  gpu->name = "NVIDIA H100";
  assert_changed(place, &key);
  place->project.suite.measure.samples = 50;
  assert_changed(place, &key);
  place->words[2] = "--flash", place->spec.protocol.count = 3;
  assert_changed(place, &key);
  setenv("TRITON_OVERRIDE", "1", 1);
  assert_changed(place, &key);
  unsetenv("TRITON_OVERRIDE");
}

static void test_what_is_not_known(void **state) {
  struct place *place = *state;
  struct pawl_hash key;
  const char *reason = NULL;
  place->words[0] = "sh";
  assert_false(pawl_reference_key(&place->project, &place->kernel, &key, &reason));
  assert_string_equal(reason, "it is no Python outside of the repository: 'sh'");
  place->spec.kind = PAWL_FROM_COMMAND;
  assert_false(pawl_reference_key(&place->project, &place->kernel, &key, &reason));
  place->spec.kind = PAWL_FROM_SOURCES;
  place->kernel.build.code_hash = "abc";
  struct pawl_hash first = key_of(place);
  place->kernel.build.code_hash = "abd";
  assert_changed(place, &first);
}

static void test_each_case_has_a_file(void **state) {
  struct place *place = *state;
  struct pawl_dim dims[] = {{"S", 512}};
  struct pawl_case config = {.name = "one", .operator_name = "attention", .dims = dims, .count = 1};
  const struct pawl_hash key = key_of(place);
  const char *path = pawl_kept_reference_path(&place->project, &place->kernel, key, &config);
  assert_string_equal(path,
                      pawl_kept_reference_path(&place->project, &place->kernel, key, &config));
  dims[0].value = 1024; /* the same name, another shape */
  assert_string_not_equal(path,
                          pawl_kept_reference_path(&place->project, &place->kernel, key, &config));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_what_changes_the_key, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_what_is_not_known, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_each_case_has_a_file, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
