/* SPDX-License-Identifier: Apache-2.0 */
/* Names that files and messages use for the ABI's numbers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "pawl/operator.h"

/* Returns false for indices, with which nobody computes. */
static inline bool pawl_dtype_is_floating(int32_t dtype) {
  return dtype != PAWL_I32 && dtype != PAWL_I64 && dtype != PAWL_U8;
}

const char *pawl_dtype_name(int32_t dtype); /* "f16"; "?" if unknown */
/* Reads also float16, fp16, half, bfloat16, float32 and so on. Returns 0 if unknown. */
int32_t pawl_dtype_parse(const char *name);
const char *pawl_role_name(int32_t role);         /* "in" "out" "inout" */
int32_t pawl_role_parse(const char *name);        /* 0: unknown */
const char *pawl_device_kind_name(int32_t kind);  /* "cpu" "cuda" */
int32_t pawl_device_kind_parse(const char *name); /* 0: unknown */
const char *pawl_fill_name(int32_t fill);  /* "normal" "uniform" "zero_one" "constant_rows" */
int32_t pawl_fill_parse(const char *name); /* 0: unknown */
