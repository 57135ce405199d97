/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka.h needs those before it */
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "serve/queue_journal.h"

#define RECORDS 6

static char path[64];

static int make_path(void **state) {
  (void)state;
  snprintf(path, sizeof path, "/tmp/pawl-journal-XXXXXX");
  const int fd = mkstemp(path);
  assert_true(fd >= 0);
  close(fd);
  return 0;
}

static int drop_path(void **state) {
  (void)state;
  unlink(path);
  return 0;
}

/* Counts the numbers read, which must be 0, 1, 2 and so on. */
struct read {
  long long count;
  bool in_order;
};

static void take(void *context, const json_t *record) {
  struct read *read = context;
  read->in_order &= json_integer_value(json_object_get(record, "n")) == read->count;
  read->count++;
}

static struct read open_and_read(struct pawl_journal *journal, struct pawl_journal_report *report) {
  struct read read = {.in_order = true};
  assert_int_equal(pawl_journal_open(journal, path, take, &read, report, NULL), PAWL_OK);
  return read;
}

static uint64_t append(struct pawl_journal *journal, long long n) {
  json_t *record = json_pack("{s:I, s:s}", "n", (json_int_t)n, "text", "\xc3\xa9\n\"");
  uint64_t number = 0;
  assert_int_equal(pawl_journal_append(journal, record, &number, NULL), PAWL_OK);
  json_decref(record);
  return number;
}

static void write_records(size_t *ends) {
  struct pawl_journal journal;
  struct pawl_journal_report report;
  open_and_read(&journal, &report);
  for (int i = 0; i < RECORDS; i++) {
    const uint64_t number = append(&journal, i);
    assert_int_equal(pawl_journal_sync(&journal, number, NULL), PAWL_OK);
    assert_true(journal.synced >= number);
    ends[i] = journal.bytes;
  }
  pawl_journal_close(&journal);
}

static void a_crash_at_any_byte_loses_only_the_record_in_hand(void **state) {
  (void)state;
  size_t ends[RECORDS];
  struct pawl_text whole = {0};
  write_records(ends);
  assert_int_equal(pawl_file_read(path, 1 << 20, &whole, NULL), PAWL_OK);
  for (size_t length = 0; length <= whole.length; length++) {
    assert_int_equal(pawl_file_write(path, whole.data, length, NULL), PAWL_OK);
    long long kept = 0;
    while (kept < RECORDS && ends[kept] <= length) kept++;
    struct pawl_journal journal;
    struct pawl_journal_report report;
    struct read read = open_and_read(&journal, &report);
    assert_true(read.in_order);
    assert_int_equal(read.count, kept);
    assert_int_equal(report.skipped, 0);
    assert_int_equal(report.cut, length - (kept ? ends[kept - 1] : 0));
    append(&journal, kept); /* and it goes on */
    pawl_journal_close(&journal);
    read = open_and_read(&journal, &report);
    assert_true(read.in_order);
    assert_int_equal(read.count, kept + 1);
    assert_int_equal(report.cut, 0);
    pawl_journal_close(&journal);
  }
  pawl_text_clear(&whole);
}

static void a_damaged_record_is_left_out_and_told(void **state) {
  (void)state;
  size_t ends[RECORDS];
  struct pawl_text whole = {0};
  write_records(ends);
  assert_int_equal(pawl_file_read(path, 1 << 20, &whole, NULL), PAWL_OK);
  for (size_t at = ends[1]; at < ends[2] - 1; at++) { /* each byte of the third */
    whole.data[at] ^= 1;
    assert_int_equal(pawl_file_write(path, whole.data, whole.length, NULL), PAWL_OK);
    whole.data[at] ^= 1;
    struct pawl_journal journal;
    struct pawl_journal_report report;
    const struct read read = open_and_read(&journal, &report);
    assert_int_equal(read.count, RECORDS - 1);
    assert_true(report.skipped >= 1); /* a byte that becomes a line end makes two of one */
    pawl_journal_close(&journal);
  }
  pawl_text_clear(&whole);
}

static void replacing_keeps_what_it_is_given_and_goes_on(void **state) {
  (void)state;
  size_t ends[RECORDS];
  write_records(ends);
  struct pawl_journal journal;
  struct pawl_journal_report report;
  open_and_read(&journal, &report);
  struct pawl_text lines = {0};
  json_t *record = json_pack("{s:i}", "n", 0);
  pawl_journal_line(record, &lines);
  json_decref(record);
  assert_int_equal(pawl_journal_replace(&journal, &lines, NULL), PAWL_OK);
  const uint64_t number = append(&journal, 1);
  assert_int_equal(pawl_journal_sync(&journal, number, NULL), PAWL_OK);
  pawl_journal_close(&journal);
  const struct read read = open_and_read(&journal, &report);
  assert_true(read.in_order);
  assert_int_equal(read.count, 2);
  pawl_journal_close(&journal);
  pawl_text_clear(&lines);
}

/* A limit on the size of files stands for a disk that is full in the middle of a record. */
static void a_full_disk_is_told_and_leaves_no_half_record(void **state) {
  (void)state;
  struct pawl_journal journal;
  struct pawl_journal_report report;
  struct pawl_error err = {0};
  struct rlimit before;
  open_and_read(&journal, &report);
  append(&journal, 0);
  getrlimit(RLIMIT_FSIZE, &before);
  const struct rlimit full = {.rlim_cur = journal.bytes + 10, .rlim_max = before.rlim_max};
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &full), 0);
  json_t *record = json_pack("{s:i}", "n", 1);
  uint64_t number = 77;
  assert_int_not_equal(pawl_journal_append(&journal, record, &number, &err), PAWL_OK);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  assert_int_equal(number, 77);
  assert_non_null(strstr(err.message, "cannot write the journal"));
  json_decref(record);
  append(&journal, 1); /* there is room again */
  pawl_journal_close(&journal);
  const struct read read = open_and_read(&journal, &report);
  assert_true(read.in_order);
  assert_int_equal(read.count, 2);
  assert_int_equal(report.skipped, 0);
  pawl_journal_close(&journal);
}

struct writer {
  struct pawl_journal *journal;
  bool all_synced;
};

static void *write_fifty(void *context) {
  struct writer *writer = context;
  for (int i = 0; i < 50; i++) {
    json_t *record = json_pack("{s:i}", "n", i);
    uint64_t number;
    writer->all_synced &= pawl_journal_append(writer->journal, record, &number, NULL) == PAWL_OK &&
                          pawl_journal_sync(writer->journal, number, NULL) == PAWL_OK;
    json_decref(record);
  }
  return NULL;
}

static void threads_share_it(void **state) {
  (void)state;
  struct pawl_journal journal;
  struct pawl_journal_report report;
  open_and_read(&journal, &report);
  pthread_t threads[4];
  struct writer writers[4];
  for (int i = 0; i < 4; i++) {
    writers[i] = (struct writer){.journal = &journal, .all_synced = true};
    assert_int_equal(pthread_create(&threads[i], NULL, write_fifty, &writers[i]), 0);
  }
  for (int i = 0; i < 4; i++) {
    pthread_join(threads[i], NULL);
    assert_true(writers[i].all_synced);
  }
  pawl_journal_close(&journal);
  assert_int_equal(open_and_read(&journal, &report).count, 200);
  assert_int_equal(report.skipped + report.cut, 0);
  pawl_journal_close(&journal);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_crash_at_any_byte_loses_only_the_record_in_hand, make_path,
                                      drop_path),
      cmocka_unit_test_setup_teardown(a_damaged_record_is_left_out_and_told, make_path, drop_path),
      cmocka_unit_test_setup_teardown(replacing_keeps_what_it_is_given_and_goes_on, make_path,
                                      drop_path),
      cmocka_unit_test_setup_teardown(a_full_disk_is_told_and_leaves_no_half_record, make_path,
                                      drop_path),
      cmocka_unit_test_setup_teardown(threads_share_it, make_path, drop_path),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
