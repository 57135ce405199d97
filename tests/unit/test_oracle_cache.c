/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of expected values: what was written comes back, damage is found out, the size stays
 * below its limit. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "oracle/cache.h"

#define ENTRY ((size_t)100000)
#define HEADER ((size_t)72)

static struct pawl_seal_key key;

static int make_folder(void **state) {
  char name[] = "/tmp/pawl-cache-XXXXXX";
  *state = strdup(mkdtemp(name));
  return 0;
}

static int remove_folder(void **state) {
  assert_int_equal(pawl_remove_tree(*state, NULL), PAWL_OK);
  free(*state);
  return 0;
}

static struct pawl_hash key_of(uint64_t number) { return (struct pawl_hash){number, ~number}; }

static bool put(struct pawl_oracle_cache *cache, uint64_t number) {
  unsigned char *data = malloc(ENTRY);
  memset(data, (int)number + 1, ENTRY);
  const struct pawl_cache_piece pieces[] = {{data, ENTRY - 1000}, {data + ENTRY - 1000, 1000}};
  bool stored = false;
  assert_int_equal(pawl_oracle_cache_write(cache, key_of(number), pieces, 2, &stored, NULL),
                   PAWL_OK);
  free(data);
  return stored;
}

static bool get(struct pawl_oracle_cache *cache, uint64_t number) {
  unsigned char *data = calloc(1, ENTRY);
  const struct pawl_cache_piece pieces[] = {{data, ENTRY - 1000}, {data + ENTRY - 1000, 1000}};
  const bool found = pawl_oracle_cache_read(cache, key_of(number), pieces, 2);
  for (size_t i = 0; found && i < ENTRY; i++) assert_int_equal(data[i], number + 1);
  free(data);
  return found;
}

static char *path_of(const char *folder, uint64_t number) {
  char name[64];
  pawl_hash_format(key_of(number), name);
  strcat(name, ".expected");
  return pawl_path_join(folder, name);
}

/* Files that others remove or change are of no account for what is in memory. */
static void test_keep_in_memory(void **state) {
  struct pawl_oracle_cache cache;
  pawl_oracle_cache_init(&cache, *state, 1 << 24, &key, NULL);
  for (uint64_t number = 0; number <= PAWL_KEPT_VALUES + 1; number++) {
    cache.keeps = number <= PAWL_KEPT_VALUES;
    assert_true(put(&cache, number));
    PAWL_CLEANUP(pawl_free_pointer) char *path = path_of(*state, number);
    assert_int_equal(unlink(path), 0);
  }
  for (uint64_t number = 1; number <= PAWL_KEPT_VALUES; number++) assert_true(get(&cache, number));
  assert_false(get(&cache, 0));                    /* the oldest has left */
  assert_false(get(&cache, PAWL_KEPT_VALUES + 1)); /* this was not to be kept */
  unsigned char less[10];
  const struct pawl_cache_piece piece = {less, sizeof less};
  assert_false(pawl_oracle_cache_read(&cache, key_of(1), &piece, 1));
  assert_true(put(&cache, 20));
  cache.keeps = true;
  assert_true(get(&cache, 20)); /* the cache keeps an entry that it reads, too */
  PAWL_CLEANUP(pawl_free_pointer) char *path = path_of(*state, 20);
  assert_int_equal(unlink(path), 0);
  assert_true(get(&cache, 20));
  pawl_oracle_cache_release(&cache);
}

/* Values of large tensors soon fill the folder, but the same block still needs them. */
static void test_keep_in_memory_without_room(void **state) {
  struct pawl_oracle_cache cache;
  pawl_oracle_cache_init(&cache, *state, ENTRY + HEADER, &key, NULL);
  cache.keeps = true;
  assert_true(put(&cache, 0));
  assert_false(put(&cache, 1));
  assert_true(get(&cache, 1));
  pawl_oracle_cache_release(&cache);
}

static void test_read_what_was_written(void **state) {
  struct pawl_oracle_cache cache;
  PAWL_CLEANUP(pawl_free_pointer) char *deep = pawl_path_join(*state, "a/b");
  pawl_oracle_cache_init(&cache, deep, 1 << 20, &key, NULL);
  assert_false(get(&cache, 1));
  assert_true(put(&cache, 1));
  assert_true(get(&cache, 1));
  assert_false(get(&cache, 2));
  pawl_oracle_cache_release(&cache);
  pawl_oracle_cache_init(&cache, deep, 1 << 20, &key, NULL);
  assert_true(get(&cache, 1));
  pawl_oracle_cache_release(&cache);
}

static void test_no_folder_is_no_cache(void **state) {
  (void)state;
  struct pawl_oracle_cache cache;
  pawl_oracle_cache_init(&cache, NULL, 1 << 20, &key, NULL);
  assert_false(put(&cache, 1));
  assert_false(get(&cache, 1));
  pawl_oracle_cache_release(&cache);
}

/* One byte changed in the header, in the values; cut off; grown; empty; another entry's contents.
 */
static void test_damage_is_found_out(void **state) {
  struct pawl_oracle_cache cache;
  pawl_oracle_cache_init(&cache, *state, 1 << 20, &key, NULL);
  PAWL_CLEANUP(pawl_free_pointer) char *path = path_of(*state, 1);
  for (int kind = 0; kind < 7; kind++) {
    assert_true(put(&cache, 1));
    const int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    const char byte = 'X';
    if (kind == 0) assert_int_equal(pwrite(fd, &byte, 1, 3), 1);
    if (kind == 1) assert_int_equal(pwrite(fd, &byte, 1, 30), 1);
    if (kind == 2) assert_int_equal(pwrite(fd, &byte, 1, 5000), 1);
    if (kind == 3) assert_int_equal(ftruncate(fd, ENTRY), 0);
    if (kind == 4) assert_int_equal(pwrite(fd, &byte, 1, (off_t)(ENTRY + HEADER)), 1);
    if (kind == 5) assert_int_equal(ftruncate(fd, 0), 0);
    close(fd);
    if (kind == 6) {
      PAWL_CLEANUP(pawl_free_pointer) char *other = path_of(*state, 2);
      assert_true(put(&cache, 2));
      assert_int_equal(rename(other, path), 0);
    }
    assert_false(get(&cache, 1));
    assert_false(pawl_file_exists(path));
  }
  pawl_oracle_cache_release(&cache);
}

/* Zeros under the seal of the true values, as one who writes the cache and has no key can make
   them; sealed with the key of somebody else, the whole entry is of no more use. */
static void test_a_forged_entry_is_found_out(void **state) {
  static const unsigned char zeros[ENTRY];
  struct pawl_oracle_cache cache, theirs;
  struct pawl_seal_key other = {.secret = {.name = {1}, .key = {1}}};
  PAWL_CLEANUP(pawl_free_pointer) char *path = path_of(*state, 1);
  pawl_oracle_cache_init(&cache, *state, 1 << 20, &key, NULL);
  assert_true(put(&cache, 1));
  const int fd = open(path, O_RDWR);
  assert_int_equal(pwrite(fd, zeros, ENTRY, (off_t)HEADER), ENTRY);
  close(fd);
  assert_false(get(&cache, 1));
  assert_false(pawl_file_exists(path));
  pawl_oracle_cache_init(&theirs, *state, 1 << 20, &other, NULL);
  assert_true(put(&theirs, 1));
  assert_true(get(&theirs, 1));
  assert_false(get(&cache, 1));
  memcpy(other.secret.name, key.secret.name,
         sizeof key.secret.name); /* whoever reads an entry can say its name */
  assert_true(put(&theirs, 1));
  assert_false(get(&cache, 1));
  pawl_oracle_cache_release(&cache);
  pawl_oracle_cache_release(&theirs);
}

static size_t folder_bytes(const char *folder) {
  size_t bytes = 0;
  for (uint64_t i = 0; i < 100; i++) {
    struct stat info;
    PAWL_CLEANUP(pawl_free_pointer) char *path = path_of(folder, i);
    if (!stat(path, &info)) bytes += (size_t)info.st_size;
  }
  return bytes;
}

/* A matrix of ten over a cache of four: each run finds the same four again. */
static void test_cyclic_scan_still_hits(void **state) {
  const uint64_t limit = 4 * (ENTRY + HEADER) + 10;
  for (int run = 0; run < 3; run++) {
    struct pawl_oracle_cache cache;
    int hits = 0;
    pawl_oracle_cache_init(&cache, *state, limit, &key, NULL);
    for (uint64_t i = 0; i < 10; i++) {
      const bool hit = get(&cache, i);
      hits += hit;
      if (!hit) put(&cache, i);
      assert_true(folder_bytes(*state) <= limit);
    }
    assert_int_equal(hits, run ? 4 : 0);
    pawl_oracle_cache_release(&cache);
  }
}

static void age(const char *folder, uint64_t number, long seconds) {
  const struct timespec times[2] = {{1000000 - seconds, 0}, {1000000 - seconds, 0}};
  PAWL_CLEANUP(pawl_free_pointer) char *path = path_of(folder, number);
  assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* An entry that a later run does not use makes room. The entry used longest ago goes first. */
static void test_oldest_makes_room(void **state) {
  struct pawl_oracle_cache cache;
  pawl_oracle_cache_init(&cache, *state, 3 * (ENTRY + HEADER), &key, NULL);
  for (uint64_t i = 0; i < 3; i++) assert_true(put(&cache, i));
  assert_false(put(&cache, 3));
  pawl_oracle_cache_release(&cache);
  age(*state, 0, 20), age(*state, 1, 30), age(*state, 2, 10);
  pawl_oracle_cache_init(&cache, *state, 3 * (ENTRY + HEADER), &key, NULL);
  assert_true(put(&cache, 3));
  assert_true(get(&cache, 0) && get(&cache, 2) && get(&cache, 3));
  assert_false(get(&cache, 1));
  pawl_oracle_cache_release(&cache);
}

/* Even one whose time says otherwise: the clock may jump, and a cache may not let its times be set.
 */
static void test_what_this_run_used_stays(void **state) {
  struct pawl_oracle_cache cache;
  pawl_oracle_cache_init(&cache, *state, 2 * (ENTRY + HEADER), &key, NULL);
  for (uint64_t i = 0; i < 2; i++) assert_true(put(&cache, i));
  pawl_oracle_cache_release(&cache);
  pawl_oracle_cache_init(&cache, *state, 2 * (ENTRY + HEADER), &key, NULL);
  assert_true(get(&cache, 0));
  age(*state, 0, 20), age(*state, 1, 10);
  assert_true(put(&cache, 2));
  assert_true(get(&cache, 0) && get(&cache, 2));
  assert_false(get(&cache, 1));
  pawl_oracle_cache_release(&cache);
}

static void test_what_cannot_be_written_is_said(void **state) {
  struct pawl_oracle_cache cache;
  struct pawl_error err = {0};
  bool stored = true;
  unsigned char byte = 1;
  const struct pawl_cache_piece piece = {&byte, 1};
  PAWL_CLEANUP(pawl_free_pointer) char *file = pawl_path_join(*state, "file");
  PAWL_CLEANUP(pawl_free_pointer) char *below = pawl_path_join(file, "folder");
  assert_int_equal(pawl_file_write(file, "x", 1, NULL), PAWL_OK);
  pawl_oracle_cache_init(&cache, below, 1 << 20, &key, NULL);
  assert_int_not_equal(pawl_oracle_cache_write(&cache, key_of(1), &piece, 1, &stored, &err),
                       PAWL_OK);
  assert_non_null(strstr(err.message, "file"));
  assert_false(stored);
  pawl_oracle_cache_release(&cache);
}

/* A FIFO or a link in the place of an entry is no entry, and does not block. */
static void test_only_regular_files(void **state) {
  struct pawl_oracle_cache cache;
  pawl_oracle_cache_init(&cache, *state, 10 * ENTRY, &key, NULL);
  assert_true(put(&cache, 1));
  char *first = path_of(*state, 1), *second = path_of(*state, 2), *third = path_of(*state, 3);
  assert_int_equal(mkfifo(second, 0666), 0);
  assert_false(get(&cache, 2));
  assert_false(pawl_file_exists(second));
  assert_int_equal(rename(first, third), 0);
  assert_int_equal(symlink(third, first), 0);
  assert_false(get(&cache, 1));
  pawl_free(first), pawl_free(second), pawl_free(third);
  pawl_oracle_cache_release(&cache);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_keep_in_memory),           TEST(test_keep_in_memory_without_room),
      TEST(test_read_what_was_written),    TEST(test_no_folder_is_no_cache),
      TEST(test_damage_is_found_out),      TEST(test_a_forged_entry_is_found_out),
      TEST(test_cyclic_scan_still_hits),   TEST(test_oldest_makes_room),
      TEST(test_what_this_run_used_stays), TEST(test_what_cannot_be_written_is_said),
      TEST(test_only_regular_files),
  };
  return cmocka_run_group_tests_name("oracle_cache", tests, NULL, NULL);
}
