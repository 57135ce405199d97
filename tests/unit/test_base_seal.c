/* SPDX-License-Identifier: Apache-2.0 */
/* Seals and their key: what a forger without the key can do, and where the key is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* after the four above */
#include <cmocka.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/seal.h"

#define MAKERS 12

struct place {
  char root[64], folder[96], key[112];
};

static int set_up(void **state) {
  struct place *place = pawl_alloc(1, sizeof *place);
  strcpy(place->root, "/tmp/pawl-seal-XXXXXX");
  assert_non_null(mkdtemp(place->root));
  snprintf(place->folder, sizeof place->folder, "%s/state/pawl", place->root);
  snprintf(place->key, sizeof place->key, "%s/key", place->folder);
  *state = place;
  return 0;
}

static int tear_down(void **state) {
  struct place *place = *state;
  assert_int_equal(pawl_remove_tree(place->root, NULL), PAWL_OK);
  pawl_free(place);
  return 0;
}

static struct pawl_seal seal_of(const struct pawl_seal_key *key, const char *purpose, const char *a,
                                const char *b) {
  struct pawl_sealer sealer;
  pawl_sealer_init(&sealer, key, purpose);
  pawl_sealer_add_string(&sealer, a);
  pawl_sealer_add_string(&sealer, b);
  return pawl_sealer_finish(&sealer);
}

static enum pawl_seal_state check(const struct pawl_seal_key *key, const struct pawl_seal *seal,
                                  const char *purpose, const char *a, const char *b) {
  struct pawl_sealer sealer;
  pawl_sealer_init_check(&sealer, key, purpose, seal);
  pawl_sealer_add_string(&sealer, a);
  pawl_sealer_add_string(&sealer, b);
  return pawl_sealer_check(&sealer, seal);
}

static void test_only_what_was_sealed_is_valid(void **state) {
  struct place *place = *state;
  struct pawl_seal_key key, other;
  assert_int_equal(pawl_seal_key_load(&key, place->folder, NULL), PAWL_OK);
  snprintf(place->folder, sizeof place->folder, "%s/other", place->root);
  assert_int_equal(pawl_seal_key_load(&other, place->folder, NULL), PAWL_OK);
  const struct pawl_seal seal = seal_of(&key, "test", "ab", "c");
  assert_int_equal(check(&key, &seal, "test", "ab", "c"), PAWL_SEAL_VALID);
  assert_int_equal(check(&key, &seal, "test", "a", "bc"), PAWL_SEAL_BROKEN);
  assert_int_equal(check(&key, &seal, "test", "ab", "d"), PAWL_SEAL_BROKEN);
  assert_int_equal(check(&key, &seal, "else", "ab", "c"), PAWL_SEAL_BROKEN);
  assert_int_equal(check(&other, &seal, "test", "ab", "c"), PAWL_SEAL_FOREIGN);
  const struct pawl_seal again = seal_of(&key, "test", "ab", "c");
  assert_memory_not_equal(again.nonce, seal.nonce,
                          sizeof seal.nonce); /* a nonce that comes twice gives GMAC away */
  char text[PAWL_SEAL_TEXT];
  struct pawl_seal parsed;
  pawl_seal_format(&seal, text);
  assert_true(pawl_seal_parse(text, &parsed));
  assert_memory_equal(&parsed, &seal, sizeof seal);
  text[7] = 'g';
  assert_false(pawl_seal_parse(text, &parsed));
  text[7] = '\0';
  assert_false(pawl_seal_parse(text, &parsed));
  pawl_seal_key_release(&key);
  pawl_seal_key_release(&other);
}

/* NIST's AES-256-GCM without a plaintext is GMAC: test case 15's key and nonce, from a program of
   its own (cryptography 48.0.0, AESGCM(key).encrypt(nonce, b"", data)). */
static void test_tag_is_that_of_the_standard(void **state) {
  (void)state;
  static const unsigned char bytes[PAWL_SEAL_KEY] = {
      0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65, 0x73, 0x1c, 0x6d, 0x6a, 0x8f,
      0x94, 0x67, 0x30, 0x83, 0x08, 0xfe, 0xff, 0xe9, 0x92, 0x86, 0x65,
      0x73, 0x1c, 0x6d, 0x6a, 0x8f, 0x94, 0x67, 0x30, 0x83, 0x08};
  static const unsigned char nonce[PAWL_SEAL_PART] = {0xca, 0xfe, 0xba, 0xbe, 0xfa, 0xce,
                                                      0xdb, 0xad, 0xde, 0xca, 0xf8, 0x88};
  static const unsigned char tag[PAWL_SEAL_TAG] = {0xe5, 0x21, 0xfc, 0xe6, 0xe7, 0x09, 0x43, 0x53,
                                                   0x93, 0x2c, 0x64, 0x67, 0x99, 0x0b, 0x15, 0x17};
  struct pawl_seal_key key = {0};
  struct pawl_seal seal = {0};
  memcpy(key.secret.key, bytes, sizeof bytes);
  memcpy(seal.nonce, nonce, sizeof nonce);
  memcpy(seal.tag, tag, sizeof tag);
  assert_int_equal(check(&key, &seal, "test", "ab", "c"), PAWL_SEAL_VALID);
}

static void write_text(const char *path, const char *text) {
  assert_int_equal(pawl_file_write(path, text, strlen(text), NULL), PAWL_OK);
}

static enum pawl_seal_state check_file(const struct pawl_seal_key *key,
                                       const struct pawl_seal *seal, const char *path) {
  struct pawl_sealer sealer;
  pawl_sealer_init_check(&sealer, key, "file", seal);
  pawl_sealer_add_file(&sealer, path);
  return pawl_sealer_check(&sealer, seal);
}

/* Overwritten in place, replaced by a link to the same bytes, by a FIFO, removed. */
static void test_files(void **state) {
  const struct place *place = *state;
  struct pawl_seal_key key;
  struct pawl_sealer sealer;
  char path[96], copy[96];
  snprintf(path, sizeof path, "%s/file", place->root);
  snprintf(copy, sizeof copy, "%s/copy", place->root);
  assert_int_equal(pawl_seal_key_load(&key, place->folder, NULL), PAWL_OK);
  write_text(path, "true");
  write_text(copy, "true");
  pawl_sealer_init(&sealer, &key, "file");
  pawl_sealer_add_file(&sealer, path);
  const struct pawl_seal seal = pawl_sealer_finish(&sealer);
  assert_int_equal(check_file(&key, &seal, path), PAWL_SEAL_VALID);
  assert_int_equal(check_file(&key, &seal, copy), PAWL_SEAL_VALID);
  write_text(path, "fake");
  assert_int_equal(check_file(&key, &seal, path), PAWL_SEAL_BROKEN);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(check_file(&key, &seal, path), PAWL_SEAL_BROKEN);
  assert_int_equal(symlink(copy, path), 0);
  assert_int_equal(check_file(&key, &seal, path), PAWL_SEAL_BROKEN);
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkfifo(path, 0600), 0);
  assert_int_equal(check_file(&key, &seal, path), PAWL_SEAL_BROKEN);
  pawl_seal_key_release(&key);
}

static unsigned mode_of(const char *path) {
  struct stat info;
  assert_int_equal(lstat(path, &info), 0);
  return info.st_mode & 07777;
}

static void test_key_is_made_once_and_for_us_alone(void **state) {
  const struct place *place = *state;
  struct pawl_seal_key first, second;
  umask(0);
  assert_int_equal(pawl_seal_key_load(&first, place->folder, NULL), PAWL_OK);
  umask(022);
  assert_true(first.kept);
  assert_string_equal(first.folder, place->folder);
  assert_int_equal(mode_of(place->folder), 0700);
  assert_int_equal(mode_of(place->key), 0600);
  assert_int_equal(pawl_seal_key_load(&second, place->folder, NULL), PAWL_OK);
  assert_memory_equal(&first.secret, &second.secret, sizeof first.secret);
  assert_int_equal(unlink(place->key), 0);
  pawl_seal_key_release(&second);
  assert_int_equal(pawl_seal_key_load(&second, place->folder, NULL), PAWL_OK);
  assert_memory_not_equal(&first.secret.key, &second.secret.key, PAWL_SEAL_KEY);
  pawl_seal_key_release(&first);
  pawl_seal_key_release(&second);
}

/* All that come at once leave with the same key. */
static void test_many_make_the_key_at_once(void **state) {
  const struct place *place = *state;
  int start[2], answers[2];
  assert_int_equal(pipe(start), 0);
  assert_int_equal(pipe(answers), 0);
  for (int i = 0; i < MAKERS; i++) {
    if (fork()) continue;
    struct pawl_seal_key key;
    char byte;
    close(start[1]);
    while (read(start[0], &byte, 1) > 0) {
    }
    const bool done = pawl_seal_key_load(&key, place->folder, NULL) == PAWL_OK;
    _exit(done && write(answers[1], &key.secret, sizeof key.secret) == sizeof key.secret ? 0 : 1);
  }
  close(start[1]); /* now */
  struct pawl_seal_secret first, other;
  for (int i = 0; i < MAKERS; i++) {
    int status;
    assert_true(wait(&status) > 0);
    assert_int_equal(status, 0);
    assert_int_equal(read(answers[0], i ? &other : &first, sizeof first), sizeof first);
    if (i) assert_memory_equal(&first, &other, sizeof first);
  }
  close(start[0]), close(answers[0]), close(answers[1]);
}

/* It is not used, and the run has a key of its own: two runs, two keys. */
static void assert_refused(const char *folder, const struct pawl_seal_secret *ours,
                           enum pawl_status_code status, const char *words) {
  struct pawl_seal_key key, again;
  struct pawl_error err = {0};
  assert_int_equal(pawl_seal_key_load(&key, folder, &err), status);
  if (!strstr(err.message, words)) fail_msg("%s", err.message);
  assert_int_equal(pawl_seal_key_load(&again, folder, NULL), status);
  assert_false(key.kept);
  assert_memory_not_equal(key.secret.key, ours->key, PAWL_SEAL_KEY);
  assert_memory_not_equal(key.secret.key, again.secret.key, PAWL_SEAL_KEY);
  pawl_seal_key_release(&key);
  pawl_seal_key_release(&again);
}

static void test_refused_keys(void **state) {
  struct place *place = *state;
  struct pawl_seal_key key;
  char copy[96];
  assert_int_equal(pawl_seal_key_load(&key, place->folder, NULL), PAWL_OK);
  assert_int_equal(chmod(place->key, 0640), 0);
  assert_refused(place->folder, &key.secret, PAWL_NOT_PERMITTED, "run chmod 600");
  assert_int_equal(chmod(place->key, 0600), 0);
  assert_int_equal(chmod(place->folder, 0770), 0);
  assert_refused(place->folder, &key.secret, PAWL_NOT_PERMITTED, "run chmod 700");
  assert_int_equal(chmod(place->folder, 0700), 0);
  snprintf(copy, sizeof copy, "%s/copy", place->root);
  assert_int_equal(rename(place->key, copy), 0);
  assert_int_equal(symlink(copy, place->key), 0);
  assert_refused(place->folder, &key.secret, PAWL_IO, "cannot read the key");
  assert_int_equal(unlink(place->key), 0);
  assert_int_equal(mkfifo(place->key, 0600), 0);
  assert_refused(place->folder, &key.secret, PAWL_BAD_DATA, "is not a key");
  assert_int_equal(unlink(place->key), 0);
  write_text(place->key, "short");
  assert_int_equal(chmod(place->key, 0600), 0);
  assert_refused(place->folder, &key.secret, PAWL_BAD_DATA, "is not a key");
  snprintf(copy, sizeof copy, "%s/copy/pawl", place->root); /* a file is in the way, for root too */
  assert_refused(copy, &key.secret, PAWL_CANNOT_WRITE, "copy");
  pawl_seal_key_release(&key);
}

static void test_places_of_the_environment(void **state) {
  const struct place *place = *state;
  struct pawl_seal_key key;
  struct pawl_error err = {0};
  char wanted[160];
  setenv("HOME", place->root, 1);
  setenv("XDG_STATE_HOME", "relative", 1);
  snprintf(wanted, sizeof wanted, "%s/.local/state/pawl", place->root);
  assert_int_equal(pawl_seal_key_load(&key, NULL, NULL), PAWL_OK);
  assert_string_equal(key.folder, wanted);
  pawl_seal_key_release(&key);
  snprintf(wanted, sizeof wanted, "%s/state", place->root);
  setenv("XDG_STATE_HOME", wanted, 1);
  assert_int_equal(pawl_seal_key_load(&key, NULL, NULL), PAWL_OK);
  assert_string_equal(key.folder, place->folder);
  pawl_seal_key_release(&key);
  unsetenv("XDG_STATE_HOME");
  unsetenv("HOME");
  assert_int_equal(pawl_seal_key_load(&key, NULL, &err), PAWL_NO_INPUT);
  assert_false(key.kept);
  assert_null(key.folder);
  pawl_seal_key_release(&key);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_only_what_was_sealed_is_valid, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_tag_is_that_of_the_standard, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_files, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_key_is_made_once_and_for_us_alone, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_many_make_the_key_at_once, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_refused_keys, set_up, tear_down),
      cmocka_unit_test_setup_teardown(test_places_of_the_environment, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
