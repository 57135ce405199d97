/* SPDX-License-Identifier: Apache-2.0 */
#include "model/dtype.h"

#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/count.h"

/* pawl writes the first name of a value and reads the others too. */
struct name {
  const char *text;
  int32_t value;
};

static const struct name dtypes[] = {
    {"f64", PAWL_F64},
    {"float64", PAWL_F64},
    {"fp64", PAWL_F64},
    {"double", PAWL_F64},
    {"f32", PAWL_F32},
    {"float32", PAWL_F32},
    {"fp32", PAWL_F32},
    {"float", PAWL_F32},
    {"f16", PAWL_F16},
    {"float16", PAWL_F16},
    {"fp16", PAWL_F16},
    {"half", PAWL_F16},
    {"bf16", PAWL_BF16},
    {"bfloat16", PAWL_BF16},
    {"e4m3", PAWL_E4M3},
    {"float8_e4m3fn", PAWL_E4M3},
    {"fp8_e4m3", PAWL_E4M3},
    {"f8_e4m3", PAWL_E4M3},
    {"i32", PAWL_I32},
    {"int32", PAWL_I32},
    {"i64", PAWL_I64},
    {"int64", PAWL_I64},
    {"u8", PAWL_U8},
    {"uint8", PAWL_U8},
    {"torch.half", PAWL_F16},
    {"torch.float16", PAWL_F16},
    {"torch.float32", PAWL_F32},
    {"torch.bfloat16", PAWL_BF16},
};
static const struct name roles[] = {{"in", PAWL_IN}, {"out", PAWL_OUT}, {"inout", PAWL_INOUT}};
static const struct name device_kinds[] = {{"cpu", PAWL_CPU}, {"cuda", PAWL_CUDA}};
static const struct name fills[] = {
    {"normal", PAWL_FILL_NORMAL},
    {"uniform", PAWL_FILL_UNIFORM},
    {"zero_one", PAWL_FILL_ZERO_ONE},
    {"constant_rows", PAWL_FILL_CONSTANT_ROWS},
};

static const char *dtype_name_of(const struct name *table, size_t count, int32_t value) {
  for (size_t i = 0; i < count; i++)
    if (table[i].value == value) return table[i].text;
  return "?";
}

static int32_t dtype_value_of(const struct name *table, size_t count, const char *text) {
  for (size_t i = 0; text && i < count; i++)
    if (strcasecmp(table[i].text, text) == 0) return table[i].value;
  return 0;
}

const char *pawl_dtype_name(int32_t dtype) {
  return dtype_name_of(dtypes, PAWL_COUNT(dtypes), dtype);
}
int32_t pawl_dtype_parse(const char *name) {
  return dtype_value_of(dtypes, PAWL_COUNT(dtypes), name);
}
const char *pawl_role_name(int32_t role) { return dtype_name_of(roles, PAWL_COUNT(roles), role); }
int32_t pawl_role_parse(const char *name) { return dtype_value_of(roles, PAWL_COUNT(roles), name); }
const char *pawl_device_kind_name(int32_t kind) {
  return dtype_name_of(device_kinds, PAWL_COUNT(device_kinds), kind);
}
int32_t pawl_device_kind_parse(const char *name) {
  return dtype_value_of(device_kinds, PAWL_COUNT(device_kinds), name);
}
const char *pawl_fill_name(int32_t fill) { return dtype_name_of(fills, PAWL_COUNT(fills), fill); }
int32_t pawl_fill_parse(const char *name) { return dtype_value_of(fills, PAWL_COUNT(fills), name); }
