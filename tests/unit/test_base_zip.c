/* SPDX-License-Identifier: Apache-2.0 */
/* Packed files: whole ones, and ones that are damaged in any place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "base/zip.h"

#define LIMIT ((size_t)1 << 20)
#define LINES 20000 /* more than one chunk */

static void add_member(struct pawl_text *out, const struct pawl_text *text) {
  Bytef packed[1 << 16];
  z_stream stream = {.next_in = (Bytef *)text->data, .avail_in = (uInt)text->length};
  assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  stream.next_out = packed;
  stream.avail_out = sizeof packed;
  assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
  pawl_text_add_bytes(out, packed, sizeof packed - stream.avail_out);
  deflateEnd(&stream);
}

static void make_text(struct pawl_text *text) {
  for (int i = 0; i < LINES; i++) pawl_text_printf(text, "line %d\n", i % 7);
}

static void test_members_follow_each_other(void **state) {
  (void)state;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text packed = {0};
  struct pawl_error err = {0};
  make_text(&text);
  add_member(&packed, &text);
  pawl_text_add_bytes(&packed, "\0\0\0", 3); /* padding, which gzip ignores */
  add_member(&packed, &text);
  pawl_text_add_bytes(&packed, "\0\0", 2);
  assert_int_equal(pawl_gunzip(&packed, LIMIT, "f.gz", &err), PAWL_OK);
  assert_int_equal(packed.length, 2 * text.length);
  assert_memory_equal(packed.data, text.data, text.length);
  assert_memory_equal(packed.data + text.length, text.data, text.length);
}

static void test_what_is_packed_comes_back(void **state) {
  (void)state;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text packed = {0};
  struct pawl_error err = {0};
  make_text(&text);
  for (size_t i = 0; i < text.length; i += 3) text.data[i] = (char)(i * i >> 7); /* any bytes */
  pawl_gzip(text.data, text.length, &packed);
  assert_int_equal(pawl_gunzip(&packed, LIMIT, "f.gz", &err), PAWL_OK);
  assert_int_equal(packed.length, text.length);
  assert_memory_equal(packed.data, text.data, text.length);
}

static void test_other_text_stays(void **state) {
  (void)state;
  struct pawl_error err = {0};
  const char *const texts[] = {"", "\x1f", "{\"cache\": 1}"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
    pawl_text_add(&text, texts[i]);
    assert_int_equal(pawl_gunzip(&text, LIMIT, "f", &err), PAWL_OK);
    assert_string_equal(pawl_text_string(&text), texts[i]);
  }
}

/* Each length but the whole is an error, and so is each byte of the stream that is turned over. */
static void test_damage(void **state) {
  (void)state;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text packed = {0};
  make_text(&text);
  add_member(&packed, &text);
  for (size_t i = 2; i < packed.length; i++) {
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text cut = {0};
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text turned = {0};
    struct pawl_error err = {0};
    pawl_text_add_bytes(&cut, packed.data, i);
    assert_int_equal(pawl_gunzip(&cut, LIMIT, "f.gz", &err), PAWL_BAD_DATA);
    assert_non_null(strstr(err.message, "'f.gz' is a damaged gzip file: "));
    if (i < 10) continue; /* some bytes of the header say nothing about the contents */
    pawl_text_add_bytes(&turned, packed.data, packed.length);
    turned.data[i] = (char)~turned.data[i];
    assert_int_equal(pawl_gunzip(&turned, LIMIT, "f.gz", &err), PAWL_BAD_DATA);
  }
}

static void test_a_file_that_grows_without_bound(void **state) {
  (void)state;
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text zeros = {0};
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text packed = {0};
  struct pawl_error err = {0};
  char block[4096] = {0};
  for (int i = 0; i < 512; i++) pawl_text_add_bytes(&zeros, block, sizeof block);
  add_member(&packed, &zeros);
  assert_int_equal(pawl_gunzip(&packed, LIMIT, "f.gz", &err), PAWL_BAD_DATA);
  assert_string_equal(err.message, "'f.gz' holds more than 1 MiB");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_members_follow_each_other),
      cmocka_unit_test(test_what_is_packed_comes_back),
      cmocka_unit_test(test_other_text_stays),
      cmocka_unit_test(test_damage),
      cmocka_unit_test(test_a_file_that_grows_without_bound),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
