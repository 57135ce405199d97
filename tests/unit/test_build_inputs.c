/* SPDX-License-Identifier: Apache-2.0 */
/* The names in a tree, taken before the compilers run and recalled after them. */
#include "build_support.h"

#include <time.h>

#include "base/count.h"
#include "build/inputs.h"

/* Longer than a tick of the file system's clock, and shorter than names are remembered. */
static void wait_for_a_tick(void) { nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL); }

/* Takes the names, runs a command in the tree meanwhile and another one after the recall. Returns
   whether the names have changed then. */
static bool names_change(struct fixture *f, const char *meanwhile, const char *later) {
  struct pawl_known_inputs known;
  struct pawl_snapshot snapshot;
  struct pawl_inputs inputs = {0};
  write_file(f, "tree/a/one.h", "");
  write_file(f, "tree/b/c/two.h", "");
  write_file(f, "other/three.h", "");
  const char *tree = in_folder(f, "tree"), *mark = in_folder(f, "mark");
  shell(f, "tree", "[ ! -e ../linked ] || ln -sfn ../other link");
  wait_for_a_tick();
  pawl_known_inputs_init(&known);
  const struct pawl_input_look look = pawl_input_look_make(&known, NULL, NULL, NULL);
  assert_int_equal(pawl_snapshot_take(&snapshot, tree, mark, false, &look, &f->err), PAWL_OK);
  pawl_inputs_add(&inputs, &f->arena, PAWL_INPUT_NAMES, tree);
  pawl_inputs_take(&inputs, &look);
  shell(f, "tree", meanwhile);
  pawl_known_inputs_look_again(&known);
  pawl_snapshot_recall_names(&snapshot);
  shell(f, "tree", later);
  const bool changed = pawl_inputs_changed(&inputs, &look);
  pawl_snapshot_clear(&snapshot);
  pawl_known_inputs_clear(&known);
  shell(f, ".", "rm -rf tree other");
  return changed;
}

static void test_unchanged_folders_spare_the_walk(void **state) {
  struct fixture *f = *state;
  /* a walk would find the later file, and so does a look that comes a second later */
  bool walked = true;
  for (int i = 0; walked && i < 10; i++)
    walked = names_change(f, "echo text >a/one.h", "touch b/later.h");
  assert_false(walked);
  write_file(f, "linked", "");
  assert_true(names_change(f, ":", "touch b/later.h"));
}

static void test_a_changed_folder_is_walked(void **state) {
  static const char *const changes[] = {
      "touch new.h",
      "touch a/new.h; touch -d 2001-01-01 a",
      "rm b/c/two.h",
      "mkdir b/d; touch b/d/new.h",
      "mv b/c/two.h b/c/other.h",
      "cp -a b/c ../kept; rm ../kept/two.h; rm -r b/c; mv ../kept b/c",
      "rm -r a; ln -s ../other a",
      "rm a/one.h; ln -s ../../other/three.h a/one.h",
  };
  struct fixture *f = *state;
  for (size_t i = 0; i < PAWL_COUNT(changes); i++) {
    print_message("%s\n", changes[i]);
    assert_true(names_change(f, changes[i], ":"));
  }
  write_file(f, "linked", "");
  assert_true(names_change(f, "touch ../other/new.h", ":"));
}

/* The first run makes the folder of the output, and the compilers read nothing of it. */
static void test_the_folder_of_the_output_is_no_new_name(void **state) {
  static const struct {
    const char *command;
    bool changes;
  } cases[] = {{"mkdir -p perf/out; touch perf/out/report.md", false},
               {"mkdir -p perf; touch perf/new.h", true},
               {"mkdir -p perf/other; touch perf/other/new.h", true},
               {"ln -s ../other perf", true}};
  struct fixture *f = *state;
  for (size_t i = 0; i < PAWL_COUNT(cases); i++) {
    struct pawl_known_inputs known;
    struct pawl_inputs inputs = {0};
    write_file(f, "tree/a/one.h", "");
    write_file(f, "other/three.h", "");
    const char *tree = in_folder(f, "tree"), *cache = in_folder(f, "cache");
    const char *output = in_folder(f, "tree/perf/out");
    pawl_known_inputs_init(&known);
    const struct pawl_input_look look = pawl_input_look_make(&known, cache, output, NULL);
    pawl_inputs_add(&inputs, &f->arena, PAWL_INPUT_NAMES, tree);
    pawl_inputs_take(&inputs, &look);
    shell(f, "tree", cases[i].command);
    pawl_known_inputs_look_again(&known);
    print_message("%s\n", cases[i].command);
    assert_int_equal(pawl_inputs_changed(&inputs, &look) != NULL, cases[i].changes);
    pawl_known_inputs_clear(&known);
    shell(f, ".", "rm -rf tree other");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_unchanged_folders_spare_the_walk, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_a_changed_folder_is_walked, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_the_folder_of_the_output_is_no_new_name, set_up,
                                      tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
