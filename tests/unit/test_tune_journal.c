/* SPDX-License-Identifier: Apache-2.0 */
/* The journal that resumes a search. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
/* cmocka needs the above */
#include <cmocka.h>

#include "base/file.h"
#include "tune/journal.h"

static void add(struct pawl_tune_journal *journal, const char *key, double ms) {
  struct pawl_error err = {0};
  const struct pawl_tune_entry entry = {
      .open = 2,
      .seconds = 7,
      .candidate = {.key = key,
                    .outcome = ms > 0 ? PAWL_OUTCOME_OK : PAWL_OUTCOME_WRONG,
                    .reason = ms > 0 ? NULL : "off by 1",
                    .median_ms = ms > 0 ? ms : NAN,
                    .base_ms = ms > 0 ? 2 : NAN}};
  assert_int_equal(pawl_tune_journal_add(journal, &entry, &err), PAWL_OK);
}

/* A member that a line lacks does not keep the value that the memory held before. Such an
   evaluator's report named races that nobody ran. */
static void test_a_line_sets_all_of_a_candidate(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_error err = {0};
  struct pawl_tune_candidate candidate;
  json_t *line = json_pack("{s:s, s:s}", "key", "A=1", "outcome", "wrong");
  memset(&candidate, 0xa5, sizeof candidate);
  assert_int_equal(pawl_tune_candidate_read(line, "a line", &arena, &candidate, &err), PAWL_OK);
  assert_int_equal(candidate.race_blocks, 0);
  assert_true(candidate.race_ratio == 0);
  assert_null(candidate.reason);
  assert_null(candidate.same_as);
  assert_int_equal(candidate.index, 0);
  json_decref(line);
  pawl_arena_clear(&arena);
}

static void test_journal(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_tune_journal journal;
  struct pawl_error err = {0};
  char folder[] = "/tmp/pawl-journal-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/tune.jsonl", folder);
  json_t *identity = json_pack("{s:s}", "kernel_name", "k"),
         *other = json_pack("{s:s}", "kernel_name", "l");
  assert_int_equal(pawl_tune_journal_open(&journal, path, identity, true, &arena, &err), PAWL_OK);
  assert_int_equal(journal.count, 0);
  add(&journal, "A=1", 1.5);
  add(&journal, "A=2", 0);
  assert_int_equal(write(journal.fd, "{\"key\": \"A=3\", \"outc", 20),
                   20); /* killed in the middle of a line */
  pawl_tune_journal_release(&journal);
  assert_int_equal(pawl_tune_journal_open(&journal, path, identity, true, &arena, &err), PAWL_OK);
  assert_int_equal(journal.count, 2);
  assert_true(pawl_tune_journal_find(&journal, "A=1")->candidate.median_ms == 1.5);
  assert_int_equal(pawl_tune_journal_find(&journal, "A=2")->candidate.outcome, PAWL_OUTCOME_WRONG);
  assert_true(isnan(pawl_tune_journal_find(&journal, "A=2")->candidate.median_ms));
  assert_null(pawl_tune_journal_find(&journal, "A=3"));
  assert_int_equal(journal.entries[0].open, 2);
  assert_true(journal.seconds == 7);
  add(&journal, "A=3", 3);
  pawl_tune_journal_release(&journal);
  assert_int_equal(pawl_tune_journal_open(&journal, path, other, true, &arena, &err),
                   PAWL_BAD_DATA);
  assert_non_null(strstr(err.message, "omit --resume to start again"));
  assert_int_equal(pawl_tune_journal_open(&journal, path, identity, true, &arena, &err), PAWL_OK);
  assert_int_equal(journal.count, 3);
  pawl_tune_journal_release(&journal);
  assert_int_equal(pawl_tune_journal_open(&journal, path, other, false, &arena, &err),
                   PAWL_OK); /* starts anew */
  assert_int_equal(journal.count, 0);
  assert_non_null(journal.kept); /* it was interrupted: it is there still */
  assert_true(pawl_file_exists(journal.kept));
  add(&journal, "A=1", 1);
  assert_int_equal(pawl_tune_journal_finish(&journal, 9, &err), PAWL_OK);
  pawl_tune_journal_release(&journal);
  assert_int_equal(pawl_tune_journal_open(&journal, path, other, true, &arena, &err), PAWL_OK);
  assert_int_equal(journal.count,
                   1); /* a search that came to its end can go on, and can be replaced */
  pawl_tune_journal_release(&journal);
  assert_int_equal(pawl_tune_journal_open(&journal, path, other, false, &arena, &err), PAWL_OK);
  assert_null(journal.kept);
  pawl_tune_journal_release(&journal);
  assert_int_equal(pawl_file_write(path, "{\"kernel_name\": \"k\"}\nnonsense\n", 31, &err),
                   PAWL_OK);
  assert_int_equal(pawl_tune_journal_open(&journal, path, identity, true, &arena, &err),
                   PAWL_BAD_DATA);
  assert_non_null(strstr(err.message, "line 2"));
  json_decref(identity);
  json_decref(other);
  assert_int_equal(pawl_remove_tree(folder, &err), PAWL_OK);
  pawl_arena_clear(&arena);
}

/* A journal of a strategy that asked other questions belongs to another search. */
static void test_strategy_version(void **state) {
  (void)state;
  json_t *changed = json_object(), *unchanged = json_object();
  pawl_tune_journal_name_strategy(changed, "auto");
  pawl_tune_journal_name_strategy(unchanged, "exhaustive");
  assert_string_equal(json_string_value(json_object_get(changed, "strategy")), "auto");
  assert_int_equal(json_integer_value(json_object_get(changed, "strategy_version")), 14);
  assert_string_equal(json_string_value(json_object_get(unchanged, "strategy")), "exhaustive");
  assert_null(json_object_get(unchanged, "strategy_version"));
  json_decref(changed);
  json_decref(unchanged);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_line_sets_all_of_a_candidate),
                                     cmocka_unit_test(test_journal),
                                     cmocka_unit_test(test_strategy_version)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
