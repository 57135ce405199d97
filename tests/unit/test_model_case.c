/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/case.h"
#include "model/dtype.h"
#include "model/operator_info.h"

static void names_go_both_ways(void **state) {
  (void)state;
  for (int32_t dtype = PAWL_F64; dtype <= PAWL_U8; dtype++)
    assert_int_equal(pawl_dtype_parse(pawl_dtype_name(dtype)), dtype);
  for (int32_t role = PAWL_IN; role <= PAWL_INOUT; role++)
    assert_int_equal(pawl_role_parse(pawl_role_name(role)), role);
  for (int32_t kind = PAWL_CPU; kind <= PAWL_CUDA; kind++)
    assert_int_equal(pawl_device_kind_parse(pawl_device_kind_name(kind)), kind);
  for (int32_t fill = PAWL_FILL_NORMAL; fill <= PAWL_FILL_CONSTANT_ROWS; fill++)
    assert_int_equal(pawl_fill_parse(pawl_fill_name(fill)), fill);
  assert_int_equal(pawl_dtype_parse("float16"), PAWL_F16);
  assert_int_equal(pawl_dtype_parse("half"), PAWL_F16);
  assert_int_equal(pawl_dtype_parse("FP16"), PAWL_F16);
  assert_int_equal(pawl_dtype_parse("bfloat16"), PAWL_BF16);
  assert_int_equal(pawl_dtype_parse("torch.float32"), PAWL_F32);
  assert_int_equal(pawl_dtype_parse("f17"), PAWL_DTYPE_NONE);
  assert_int_equal(pawl_dtype_parse(NULL), PAWL_DTYPE_NONE);
  assert_string_equal(pawl_dtype_name(99), "?");
}

/* --- cases --- */

static void key_is(const struct pawl_case *config, const char *expected) {
  struct pawl_text text = {0};
  pawl_case_key(config, &text);
  assert_string_equal(pawl_text_string(&text), expected);
  pawl_text_clear(&text);
}

static void set_replaces_and_appends(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_error err = {0};
  struct pawl_dim dims[] = {{"B", 32}, {"S", 512}};
  struct pawl_case config = {.name = "x", .dims = dims, .count = 2, .dtype = PAWL_F16};
  key_is(&config, "B=32,S=512,dtype=f16");
  assert_int_equal(pawl_case_set(&config, "S=1024,causal=true,dtype=bf16,D=-3", &arena, &err),
                   PAWL_OK);
  key_is(&config, "B=32,S=1024,causal=1,D=-3,dtype=bf16");
  assert_int_equal(dims[1].value, 512); /* the caller's array is not written to */
  const struct pawl_shape shape = pawl_case_shape(&config);
  assert_int_equal(pawl_shape_get(&shape, "D"), -3);
  assert_int_equal(shape.dtype, PAWL_BF16);
  pawl_arena_clear(&arena);
}

static void set_tells_what_it_cannot_read(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } table[] = {
      {"", "cannot read '' of '': write NAME=VALUE, as in B=32,dtype=f16"},
      {"B", "cannot read 'B' of 'B': write NAME=VALUE, as in B=32,dtype=f16"},
      {"B=1,", "cannot read '' of 'B=1,': write NAME=VALUE, as in B=32,dtype=f16"},
      {"=1", "cannot read '' of '=1': write NAME=VALUE, as in B=32,dtype=f16"},
      {"B=", "'B' must be an integer, true or false, not ''"},
      {"B=1.5", "'B' must be an integer, true or false, not '1.5'"},
      {"B=99999999999999999999",
       "'B' must be an integer, true or false, not '99999999999999999999'"},
      {"dtype=f17", "unknown dtype 'f17': use f64, f32, f16, bf16, e4m3, i32, i64 or u8"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct pawl_arena arena = {0};
    struct pawl_error err = {0};
    struct pawl_case config = {.name = "x"};
    assert_int_equal(pawl_case_set(&config, table[i].text, &arena, &err), PAWL_USAGE);
    assert_string_equal(err.message, table[i].message);
    assert_int_equal(config.count, 0);
    pawl_arena_clear(&arena);
  }
}

static json_t *parse(const char *text) {
  json_t *value = NULL;
  struct pawl_error err = {0};
  if (pawl_json_parse(text, strlen(text), "test", false, &value, &err) != PAWL_OK)
    fail_msg("%s", err.message);
  return value;
}

static void json_goes_both_ways(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  struct pawl_dim dims[] = {{"B", 32}, {"S", INT64_MAX}, {"causal", 0}};
  const struct pawl_case config = {.name = "x", .dims = dims, .count = 3, .dtype = PAWL_E4M3};
  json_t *object = pawl_case_to_json(&config);
  struct pawl_case back;
  assert_int_equal(pawl_case_from_json(object, "x", &arena, &back, NULL), PAWL_OK);
  json_decref(object); /* nothing of it is borrowed */
  assert_string_equal(back.name, "x");
  key_is(&back, "B=32,S=9223372036854775807,causal=0,dtype=e4m3");
  pawl_arena_clear(&arena);
}

static void bad_json_is_told(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } table[] = {
      {"[]", "x: must be an object, not an empty list"},
      {"{\"B\": 1.5}", "x: B must be an integer, not 1.5"},
      {"{\"B\": \"32\"}", "x: B must be an integer, not the text '32'"},
      {"{\"B\": null}", "x: B must be an integer, not null"},
      {"{\"a b\": 1}", "x: has 'a b', which is not a valid parameter name"},
      {"{\"dtype\": \"f17\"}",
       "x: dtype must be a dtype (f64 f32 f16 bf16 e4m3 i32 i64 u8), not the text 'f17'"},
      {"{\"dtype\": 16}", "x: dtype must be a dtype (f64 f32 f16 bf16 e4m3 i32 i64 u8), not 16"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct pawl_arena arena = {0};
    struct pawl_error err = {0};
    struct pawl_case out = {.count = 5};
    json_t *object = parse(table[i].text);
    assert_int_equal(pawl_case_from_json(object, "x", &arena, &out, &err), PAWL_BAD_DATA);
    assert_string_equal(err.message, table[i].message);
    assert_int_equal(out.count, 5);
    json_decref(object);
    pawl_arena_clear(&arena);
  }
}

/* --- an operator and its cases --- */

static const char attention[] =
    "{\"name\": \"attention\", \"summary\": \"softmax(QK)V\", \"params\": ["
    "{\"name\": \"B\", \"min\": 1, \"max\": 1024, \"default\": null, \"help\": \"batch\"},"
    "{\"name\": \"S\", \"min\": 1, \"max\": 65536, \"default\": null, \"help\": \"length\"},"
    "{\"name\": \"causal\", \"min\": 0, \"max\": 1, \"default\": 0, \"help\": \"mask\"}],"
    "\"distributions\": [{\"name\": \"normal\", \"fill\": \"normal\", \"scale\": 1.0, \"adjust\": "
    "false},"
    "{\"name\": \"late_key\", \"fill\": \"normal\", \"scale\": 3.5, \"adjust\": true}],"
    "\"tolerances\": [{\"dtype\": \"f32\", \"atol\": 1e-5, \"rtol\": 1e-5, \"rel_rms\": 1e-6},"
    "{\"dtype\": \"f16\", \"atol\": 0.002, \"rtol\": 0.001, \"rel_rms\": 0.0005}]}";

static struct pawl_operator_info read_attention(struct pawl_arena *arena) {
  json_t *object = parse(attention);
  struct pawl_operator_info info;
  struct pawl_error err = {0};
  if (pawl_operator_info_from_json(object, arena, &info, &err) != PAWL_OK)
    fail_msg("%s", err.message);
  json_decref(object);
  return info;
}

static void operator_info_goes_both_ways(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_operator_info info = read_attention(&arena);
  assert_int_equal(info.param_count, 3);
  assert_true(info.params[0].fallback < info.params[0].min); /* must be given */
  assert_int_equal(info.params[2].fallback, 0);
  assert_true(info.distributions[1].adjust && info.distributions[1].scale == 3.5);
  assert_int_equal(info.tolerances[1].dtype, PAWL_F16);
  json_t *again = pawl_operator_info_to_json(&info), *expected = parse(attention);
  assert_true(json_equal(again, expected));
  json_decref(again);
  json_decref(expected);
  pawl_arena_clear(&arena);
}

static void a_case_is_resolved(void **state) {
  (void)state;
  struct pawl_arena arena = {0};
  const struct pawl_operator_info info = read_attention(&arena);
  struct pawl_dim dims[] = {{"S", 512}, {"B", 32}};
  const struct pawl_case config = {
      .name = "x", .operator_name = "attention", .dims = dims, .count = 2};
  struct pawl_case out;
  assert_int_equal(pawl_case_resolve(&config, &info, &arena, &out, NULL), PAWL_OK);
  key_is(&out,
         "B=32,S=512,causal=0,dtype=f32"); /* the operator's order, its default, its first dtype */
  assert_string_equal(out.operator_name, "attention");
  pawl_arena_clear(&arena);
}

static void a_case_that_does_not_fit_is_told(void **state) {
  (void)state;
  static const struct {
    const char *set, *message;
  } table[] = {
      {"B=1,SS=4", "case 'x': operator 'attention' has no parameter 'SS'; did you mean 'S'?"},
      {"B=1,S=4,casual=1",
       "case 'x': operator 'attention' has no parameter 'casual'; did you mean 'causal'?"},
      {"B=1,S=4,wholly=1",
       "case 'x': operator 'attention' has no parameter 'wholly'; its parameters: B, S, causal"},
      {"B=1", "case 'x': 'S' of operator 'attention' is missing: give an integer from 1 to 65536"},
      {"B=0,S=4", "case 'x': 'B' of operator 'attention' must be from 1 to 1024, not 0"},
      {"B=1,S=65537", "case 'x': 'S' of operator 'attention' must be from 1 to 65536, not 65537"},
      {"B=1,S=4,dtype=e4m3",
       "case 'x': operator 'attention' does not support dtype e4m3, only f32, f16"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct pawl_arena arena = {0};
    struct pawl_error err = {0};
    const struct pawl_operator_info info = read_attention(&arena);
    struct pawl_case config = {.name = "x"}, out = {.count = 5};
    assert_int_equal(pawl_case_set(&config, table[i].set, &arena, &err), PAWL_OK);
    assert_int_equal(pawl_case_resolve(&config, &info, &arena, &out, &err), PAWL_CONFIG);
    assert_string_equal(err.message, table[i].message);
    assert_int_equal(out.count, 5);
    pawl_arena_clear(&arena);
  }
}

#define TENSORS(list) "{\"tensors\": [" list "], \"flop\": 1, \"bytes\": 2}"
#define TENSOR(role, dtype, size) \
  "{\"name\": \"q\", \"role\": \"" role "\", \"dtype\": \"" dtype "\", \"size\": " size "}"

static void work_goes_both_ways(void **state) {
  (void)state;
  static const char text[] = "{\"tensors\": [" TENSOR("in", "f16", "[32, 8]") ","
                             TENSOR("out", "f32", "[]") "], "
                             "\"flop\": 1e12, \"bytes\": 0.0}";
  struct pawl_arena arena = {0};
  struct pawl_work work;
  json_t *object = parse(text);
  assert_int_equal(pawl_work_from_json(object, &arena, &work, NULL), PAWL_OK);
  assert_int_equal(work.tensor_count, 2);
  assert_int_equal(work.tensors[0].ndim, 2);
  assert_int_equal(work.tensors[0].size[1], 8);
  assert_int_equal(work.tensors[1].ndim, 0); /* a scalar */
  json_t *again = pawl_work_to_json(&work);
  assert_true(json_equal(again, object));
  json_decref(again);
  json_decref(object);
  pawl_arena_clear(&arena);
}

/* A hostile or a broken worker may give these answers. */
static void nonsense_work_is_told(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
  } table[] = {
      {"3", "operator: must be an object, not 3"},
      {"{}", "operator: tensors is missing: it must be a list"},
      {TENSORS(""), "operator: tensors must have 1 to 16 entries, not 0"},
      {TENSORS("1"), "operator: tensors[0] must be an object, not 1"},
      {TENSORS(TENSOR("in", "f16", "[1]")),
       "operator: tensors must be a list with an output, not a list"},
      {TENSORS(TENSOR("both", "f16", "[1]")),
       "operator: tensors[0].role must be in, out or inout, not the text 'both'"},
      {TENSORS(TENSOR("out", "?", "[1]")),
       "operator: tensors[0].dtype must be a dtype, not the text '?'"},
      {TENSORS(TENSOR("out", "f16", "[0.5]")),
       "operator: tensors[0].size[0] must be an integer, 0 or greater, not 0.5"},
      {TENSORS(TENSOR("out", "f16", "[0, -5]")),
       "operator: tensors[0].size[1] must be an integer, 0 or greater, not -5"},
      {TENSORS(TENSOR("out", "f16", "[1,1,1,1,1,1,1]")),
       "operator: tensors[0].size must be a list of at most 6, not a list"},
      {TENSORS(TENSOR("out", "f16", "[4294967296, 4294967296, 2]")),
       "operator: tensors[0].size is more than 2^48 bytes"},
      {TENSORS(TENSOR("out", "f16", "[9223372036854775807, 2]")),
       "operator: tensors[0].size is more than 2^48 bytes"},
      {"{\"tensors\": [" TENSOR("out", "f16", "[1]") "], \"flop\": -1}",
       "operator: flop must be a number, 0 or greater, not -1"},
      {"{\"tensors\": [" TENSOR("out", "f16", "[1]") "], \"flop\": 1}",
       "operator: bytes is missing: it must be a number, 0 or greater"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct pawl_arena arena = {0};
    struct pawl_error err = {0};
    struct pawl_work out = {.tensor_count = 5};
    json_t *object = parse(table[i].text);
    assert_int_equal(pawl_work_from_json(object, &arena, &out, &err), PAWL_PROTOCOL);
    assert_string_equal(err.message, table[i].message);
    assert_int_equal(out.tensor_count, 5);
    json_decref(object);
    pawl_arena_clear(&arena);
  }
}

/* One value of the good description replaced by another. */
static void nonsense_operators_are_told(void **state) {
  (void)state;
  static const struct {
    const char *from, *to, *message;
  } table[] = {
      {"\"attention\"", "\"a b\"",
       "operator: name must be a name of letters, digits and _, not the text 'a b'"},
      {"\"max\": 1024", "\"max\": 0", "operator: params[0].max must be at least 'min', not 0"},
      {"\"min\": 1,", "\"min\": \"1\",",
       "operator: params[0].min must be an integer, not the text '1'"},
      {"\"min\": 1,", "\"min\": -9223372036854775808,",
       "operator: params[0].min must be greater than -2^63, not -9223372036854775808"},
      {"\"default\": 0", "\"default\": 2",
       "operator: params[2].default must be within 'min' and 'max', not 2"},
      {"\"name\": \"S\"", "\"name\": \"B\"", "operator: params has 'B' twice"},
      {"\"fill\": \"normal\"", "\"fill\": \"gamma\"",
       "operator: distributions[0].fill must be normal, uniform, zero_one or constant_rows, not "
       "the text 'gamma'"},
      {"\"adjust\": false", "\"adjust\": 0",
       "operator: distributions[0].adjust must be true or false, not 0"},
      {"\"atol\": 1e-5", "\"atol\": -1",
       "operator: tolerances[0].atol must be a number, 0 or greater, not -1"},
      {"\"summary\": \"softmax(QK)V\"", "\"summary\": 5",
       "operator: summary must be a text, not 5"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
    struct pawl_arena arena = {0};
    struct pawl_error err = {0};
    struct pawl_text text = {0};
    const char *at = strstr(attention, table[i].from);
    pawl_text_add_bytes(&text, attention, (size_t)(at - attention));
    pawl_text_add(&text, table[i].to);
    pawl_text_add(&text, at + strlen(table[i].from));
    json_t *object = parse(text.data);
    struct pawl_operator_info info = {.param_count = 5};
    assert_int_equal(pawl_operator_info_from_json(object, &arena, &info, &err), PAWL_PROTOCOL);
    assert_string_equal(err.message, table[i].message);
    assert_int_equal(info.param_count, 5);
    json_decref(object);
    pawl_text_clear(&text);
    pawl_arena_clear(&arena);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_go_both_ways),
      cmocka_unit_test(set_replaces_and_appends),
      cmocka_unit_test(set_tells_what_it_cannot_read),
      cmocka_unit_test(json_goes_both_ways),
      cmocka_unit_test(bad_json_is_told),
      cmocka_unit_test(operator_info_goes_both_ways),
      cmocka_unit_test(a_case_is_resolved),
      cmocka_unit_test(a_case_that_does_not_fit_is_told),
      cmocka_unit_test(work_goes_both_ways),
      cmocka_unit_test(nonsense_work_is_told),
      cmocka_unit_test(nonsense_operators_are_told),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
