/* SPDX-License-Identifier: Apache-2.0 */
/* Layout: no overlaps, room for the guard bands, and bands that notice one byte on either side. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oracle/layout.h"
#include "pawl/convert.h"

#define SETS 5

static const struct pawl_work work = {
    .tensors = {{.name = "a", .role = PAWL_IN, .ndim = 2, .size = {3, 37}},
                {.name = "b", .role = PAWL_INOUT, .dtype = PAWL_U8, .ndim = 1, .size = {1}},
                {.name = "c", .role = PAWL_OUT, .dtype = PAWL_F64, .ndim = 3, .size = {2, 5, 7}}},
    .tensor_count = 3};

struct fixture {
  struct pawl_arena arena;
  struct pawl_tensor_set *sets;
  uint64_t bytes;
  unsigned char *map;
};

static int setup(void **state) {
  struct fixture *f = calloc(1, sizeof *f);
  assert_int_equal(
      pawl_layout_sets(&work, PAWL_F16, 5, 0, SETS, &f->arena, &f->sets, &f->bytes, NULL), PAWL_OK);
  f->map = calloc(1, f->bytes);
  for (int s = 0; s < SETS; s++) pawl_guards_write(&f->sets[s], f->map);
  *state = f;
  return 0;
}

static int teardown(void **state) {
  struct fixture *f = *state;
  pawl_arena_clear(&f->arena);
  free(f->map);
  free(f);
  return 0;
}

static void test_places(void **state) {
  const struct fixture *f = *state;
  uint64_t end = 0;
  for (int s = 0; s < SETS; s++)
    for (int i = 0; i < 3; i++) {
      const struct pawl_placed_tensor *t = &f->sets[s].tensors[i];
      assert_int_equal(t->offset % PAWL_TENSOR_ALIGNMENT, 0);
      assert_true(t->offset >= end + PAWL_GUARD_BYTES);
      end = t->offset + t->bytes + PAWL_GUARD_BYTES;
      for (int other = 0; other < s; other++)
        assert_int_not_equal(t->offset % 4096, f->sets[other].tensors[i].offset % 4096);
    }
  assert_true(end <= f->bytes);
  assert_int_equal(f->sets[0].tensors[0].bytes, 3 * 37 * 2);
  assert_int_equal(f->sets[0].tensors[0].spec.dtype, PAWL_F16);
  assert_int_equal(f->sets[0].tensors[1].bytes, 1);
  assert_int_equal(f->sets[0].tensors[2].bytes, 2 * 5 * 7 * 8);
}

static void test_view_is_dense(void **state) {
  const struct fixture *f = *state;
  const struct pawl_placed_tensor *placed = &f->sets[1].tensors[2];
  const struct pawl_tensor view = pawl_placed_view(placed, f->map);
  assert_ptr_equal(view.data, f->map + placed->offset);
  assert_int_equal(view.stride[0], 35);
  assert_int_equal(view.stride[1], 7);
  assert_int_equal(view.stride[2], 1);
  assert_int_equal(pawl_placed_elements(placed), 70);
}

static void test_one_byte_is_noticed(void **state) {
  const struct fixture *f = *state;
  for (int s = 0; s < SETS; s++) {
    assert_int_equal(pawl_guards_check(&f->sets[s], f->map).tensor, -1);
    for (int i = 0; i < 3; i++) {
      static const uint64_t distances[] = {0, 1, 100, PAWL_GUARD_BYTES - 1};
      for (size_t d = 0; d < sizeof distances / sizeof *distances; d++)
        for (int past = 0; past < 2; past++) {
          const struct pawl_placed_tensor *t = &f->sets[s].tensors[i];
          unsigned char *byte =
              f->map + (past ? t->offset + t->bytes + distances[d] : t->offset - 1 - distances[d]);
          *byte ^= 1;
          const struct pawl_guard_damage damage = pawl_guards_check(&f->sets[s], f->map);
          assert_int_equal(damage.tensor, i);
          assert_int_equal(damage.past_end, past);
          assert_int_equal(damage.bytes, distances[d]);
          *byte ^= 1;
        }
    }
  }
}

/* A value that a kernel reads from a band spoils a float result, and is not the poison of the
   outputs. */
static void test_bands_read_as_nan(void **state) {
  const struct fixture *f = *state;
  static const int32_t dtypes[] = {PAWL_F64, PAWL_F32, PAWL_F16, PAWL_BF16};
  const struct pawl_placed_tensor *t = &f->sets[0].tensors[2];
  const unsigned char *band = f->map + t->offset + t->bytes;
  for (size_t d = 0; d < 4; d++)
    for (int i = 0; i < 500; i++) assert_true(isnan(pawl_load_f64(band, dtypes[d], i)));
  for (size_t b = 0; b < PAWL_GUARD_BYTES; b += 2) assert_true(band[b] != 0xff && band[b] > 0xf0);
}

static void test_bad_sizes(void **state) {
  (void)state;
  static const int64_t sizes[][2] = {
      {0, 5}, {-1, 5}, {INT64_MAX, 2}, {(int64_t)1 << 40, (int64_t)1 << 40}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    struct pawl_work bad = {.tensors = {{.name = "huge", .role = PAWL_OUT, .ndim = 2}},
                            .tensor_count = 1};
    struct pawl_arena arena = {0};
    struct pawl_tensor_set *sets = NULL;
    struct pawl_error err = {0};
    uint64_t bytes = 7;
    memcpy(bad.tensors[0].size, sizes[i], sizeof sizes[i]);
    assert_int_equal(pawl_layout_sets(&bad, PAWL_F32, 5, 0, 1, &arena, &sets, &bytes, &err),
                     PAWL_CONFIG);
    assert_non_null(strstr(err.message, "'huge'"));
    assert_null(sets);
    assert_int_equal(bytes, 7);
    pawl_arena_clear(&arena);
  }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_places),
      TEST(test_view_is_dense),
      TEST(test_one_byte_is_noticed),
      TEST(test_bands_read_as_nan),
      cmocka_unit_test(test_bad_sizes),
  };
  return cmocka_run_group_tests_name("oracle_layout", tests, NULL, NULL);
}
