/* SPDX-License-Identifier: Apache-2.0 */
/* The pieces of the worker room: shared memory, frames, the end of the log, tensors as JSON. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "protocol/frame.h"
#include "protocol/output_hash.h"
#include "protocol/tensor_json.h"
#include "worker/log_tail.h"
#include "worker/shared.h"

static void shared_memory_grows_and_cannot_shrink(void **state) {
  (void)state;
  struct pawl_error err = {0};
  struct pawl_shared shared = {.fd = -1};
  assert_int_equal(pawl_shared_init(&shared, "test", 5000, &err), PAWL_OK);
  shared.map[4999] = 42;
  assert_int_equal(pawl_shared_grow(&shared, 1 << 24, &err), PAWL_OK);
  assert_int_equal(shared.size, 1 << 24);
  assert_int_equal(shared.map[4999], 42);
  shared.map[(1 << 24) - 1] = 7;
  assert_int_equal(pawl_shared_grow(&shared, 100, &err), PAWL_OK);
  assert_int_equal(shared.size, 1 << 24);
  assert_int_equal(ftruncate(shared.fd, 4096), -1);
  assert_int_equal(errno, EPERM);
  assert_int_equal(fcntl(shared.fd, F_ADD_SEALS, F_SEAL_GROW), -1);
  pawl_shared_release(&shared);
  assert_int_equal(shared.fd, -1);
  pawl_shared_release(&shared);
  pawl_shared_release(NULL);
}

/* A frame that arrives byte by byte, with the next one behind it. */
static void frames_survive_partial_reads(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
  struct pawl_text bytes = {0};
  struct pawl_error err;
  json_t *value = json_pack("{s:s}", "name", "\xc3\xa4");
  assert_int_equal(pawl_frame_encode(value, &bytes, &err), PAWL_OK);
  assert_int_equal(pawl_frame_encode(value, &bytes, &err), PAWL_OK);
  assert_int_equal((unsigned char)bytes.data[0], bytes.length / 2 - PAWL_FRAME_HEADER);
  struct pawl_frame frame = {0};
  for (size_t i = 0; i < bytes.length / 2; i++) {
    assert_int_equal(pawl_frame_receive(&frame, ends[0]), PAWL_FRAME_PARTIAL);
    assert_int_equal(write(ends[1], bytes.data + i, 1), 1);
  }
  const size_t rest = bytes.length / 2;
  assert_int_equal(write(ends[1], bytes.data + rest, rest), rest);
  for (int i = 0; i < 2; i++) {
    assert_int_equal(pawl_frame_receive(&frame, ends[0]), PAWL_FRAME_READY);
    assert_int_equal(frame.length, rest - PAWL_FRAME_HEADER);
    assert_memory_equal(frame.body, bytes.data + PAWL_FRAME_HEADER, frame.length);
    pawl_frame_clear(&frame);
  }
  close(ends[1]);
  assert_int_equal(pawl_frame_receive(&frame, ends[0]), PAWL_FRAME_CLOSED);
  close(ends[0]);
  pawl_text_clear(&bytes);
  json_decref(value);
}

static void frames_have_a_limit(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
  const unsigned char longest[4] = {0, 0, 0, 1},
                      too_long[4] = {1, 0, 0, 1}; /* 16 MiB, and one byte more */
  struct pawl_frame frame = {0};
  assert_int_equal(write(ends[1], longest, 4), 4);
  assert_int_equal(pawl_frame_receive(&frame, ends[0]), PAWL_FRAME_PARTIAL);
  pawl_frame_clear(&frame);
  assert_int_equal(write(ends[1], too_long, 4), 4);
  assert_int_equal(pawl_frame_receive(&frame, ends[0]), PAWL_FRAME_TOO_LONG);
  pawl_frame_clear(&frame);
  close(ends[0]), close(ends[1]);
}

static void add_to_log(struct pawl_log_tail *tail, int fd, const char *text) {
  assert_int_equal(write(fd, text, strlen(text)), strlen(text));
  pawl_log_tail_drain(tail);
}

static void the_log_keeps_its_end(void **state) {
  (void)state;
  int ends[2];
  assert_int_equal(pipe2(ends, O_NONBLOCK), 0);
  struct pawl_log_tail tail;
  pawl_log_tail_init(&tail, ends[0]);
  struct pawl_text text = {0};
  pawl_log_tail_text(&tail, 3, "|", &text);
  assert_string_equal(pawl_text_string(&text), "");
  char line[64];
  for (int i = 0; i < 10000; i++) {
    snprintf(line, sizeof line, "line %d\n", i);
    add_to_log(&tail, ends[1], line);
  }
  add_to_log(&tail, ends[1], "\n\ncolour \033[31mred\tend\r\n\nlast, without an end of line");
  pawl_log_tail_text(&tail, 3, " | ", &text);
  assert_string_equal(text.data, "line 9999 | colour ?[31mred end? | last, without an end of line");
  pawl_text_clear(&text);
  pawl_log_tail_text(&tail, 1 << 30, "\n", &text);
  assert_true(text.length <= PAWL_LOG_TAIL * 2 && text.length > PAWL_LOG_TAIL / 2);
  pawl_text_clear(&text);
  close(ends[1]);
  pawl_log_tail_drain(&tail);
  assert_int_equal(tail.fd, -1);
  pawl_log_tail_release(&tail);
}

static struct pawl_placed_tensor example(int32_t role) {
  return (struct pawl_placed_tensor){
      .spec = {.name = "q", .role = role, .dtype = PAWL_F16, .ndim = 3, .size = {2, 3, 4}},
      .fd = 5,
      .offset = 512,
      .bytes = 48};
}

static void tensors_travel_as_json(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_error err;
  const struct pawl_placed_tensor tensors[2] = {example(PAWL_IN), example(PAWL_INOUT)};
  const struct pawl_tensor_set set = {tensors, 2};
  struct pawl_tensor_set back;
  json_t *array = pawl_tensor_set_to_json(&set);
  assert_int_equal(
      json_integer_value(json_array_get(json_object_get(json_array_get(array, 0), "stride"), 0)),
      12);
  assert_int_equal(pawl_tensor_set_from_json(array, &arena, &back, &err), PAWL_OK);
  assert_int_equal(back.count, 2);
  assert_string_equal(back.tensors[1].spec.name, "q");
  assert_int_equal(back.tensors[1].spec.role, PAWL_INOUT);
  assert_int_equal(back.tensors[0].spec.dtype, PAWL_F16);
  assert_int_equal(back.tensors[0].spec.size[2], 4);
  assert_int_equal(back.tensors[0].offset, 512);
  assert_int_equal(back.tensors[0].bytes, 48);
  static const char *const broken[] = {"role", "dtype", "fd", "offset", "bytes", "size"};
  for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
    json_t *copy = json_deep_copy(array);
    json_object_set_new(json_array_get(copy, 1), broken[i], json_integer(-1));
    assert_int_equal(pawl_tensor_set_from_json(copy, &arena, &back, &err), PAWL_BAD_DATA);
    json_decref(copy);
  }
  json_object_set_new(json_array_get(array, 0), "size", json_pack("[I,I]", INT64_MAX, INT64_MAX));
  assert_int_equal(pawl_tensor_set_from_json(array, &arena, &back, &err), PAWL_BAD_DATA);
  json_decref(array);
  pawl_arena_clear(&arena);
}

static void shapes_travel_in_order(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_error err;
  const struct pawl_dim dims[] = {{"S", 512}, {"B", 32}, {"A", INT64_MAX}};
  const struct pawl_shape shape = {dims, 3, PAWL_BF16};
  struct pawl_shape back;
  json_t *params = json_object();
  pawl_shape_to_params(params, &shape);
  assert_int_equal(pawl_shape_from_params(params, &arena, &back, &err), PAWL_OK);
  assert_int_equal(back.count, 3);
  assert_int_equal(back.dtype, PAWL_BF16);
  for (int i = 0; i < 3; i++) {
    assert_string_equal(back.dims[i].name, dims[i].name);
    assert_int_equal(back.dims[i].value, dims[i].value);
  }
  json_object_set_new(params, "dtype", json_string("f17"));
  assert_int_equal(pawl_shape_from_params(params, &arena, &back, &err), PAWL_BAD_DATA);
  json_decref(params);
  pawl_arena_clear(&arena);
}

static const enum pawl_output_hash_kind hash_kinds[] = {PAWL_OUTPUT_HASH_XXH3,
                                                        PAWL_OUTPUT_HASH_SUM};

static void output_hash_sees_outputs_only(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    const enum pawl_output_hash_kind kind = hash_kinds[k];
    unsigned char arena[2048] = {0};
    struct pawl_placed_tensor tensors[2] = {example(PAWL_IN), example(PAWL_OUT)};
    tensors[1].offset = 1024;
    const struct pawl_tensor_set set = {tensors, 2};
    const struct pawl_hash before = pawl_output_hash(kind, &set, arena);
    arena[512] = arena[1024 + 48] = arena[1023] = 1;
    assert_true(pawl_hash_equal(before, pawl_output_hash(kind, &set, arena)));
    arena[1024 + 47] = 1;
    assert_false(pawl_hash_equal(before, pawl_output_hash(kind, &set, arena)));
    tensors[0].spec.role = PAWL_INOUT;
    const struct pawl_hash with_inout = pawl_output_hash(kind, &set, arena);
    arena[512] = 2;
    assert_false(pawl_hash_equal(with_inout, pawl_output_hash(kind, &set, arena)));
    assert_int_equal(pawl_output_hash_kind_parse(pawl_output_hash_kind_name(kind)), kind);
  }
  assert_int_equal(pawl_output_hash_kind_parse("md5"), PAWL_OUTPUT_HASH_FOREIGN);
  assert_int_equal(pawl_output_hash_kind_parse(NULL), PAWL_OUTPUT_HASH_FOREIGN);
}

/* The hash of outputs that nobody wrote is that of outputs full of 0xff, of any size. */
static void unwritten_outputs_are_known(void **state) {
  (void)state;
  static const uint64_t sizes[] = {48, 4096, 4097, 40001, 3 << 20};
  unsigned char *arena = pawl_alloc(4, 1 << 20);
  memset(arena, 0xff, (size_t)4 << 20);
  for (int k = 0; k < 2; k++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      struct pawl_placed_tensor tensors[2] = {example(PAWL_IN), example(PAWL_OUT)};
      const struct pawl_tensor_set set = {tensors, 2};
      struct pawl_hash unwritten;
      tensors[1].bytes = sizes[i];
      assert_true(pawl_unwritten_hash(hash_kinds[k], &set, &unwritten));
      assert_true(pawl_hash_equal(unwritten, pawl_output_hash(hash_kinds[k], &set, arena)));
      tensors[0].spec.role = PAWL_INOUT;
      assert_false(pawl_unwritten_hash(hash_kinds[k], &set, &unwritten));
      tensors[0].spec.role = PAWL_IN;
      tensors[1].spec.dtype = PAWL_I32; /* -1 everywhere may be the right answer */
      assert_false(pawl_unwritten_hash(hash_kinds[k], &set, &unwritten));
    }
  }
  pawl_free(arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shared_memory_grows_and_cannot_shrink),
      cmocka_unit_test(frames_survive_partial_reads),
      cmocka_unit_test(frames_have_a_limit),
      cmocka_unit_test(the_log_keeps_its_end),
      cmocka_unit_test(tensors_travel_as_json),
      cmocka_unit_test(shapes_travel_in_order),
      cmocka_unit_test(output_hash_sees_outputs_only),
      cmocka_unit_test(unwritten_outputs_are_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
