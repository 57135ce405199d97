/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes and placed tensors as docs/protocol.md writes them. Both ends use this. */
#pragma once

#include "base/error.h"
#include "base/json.h"
#include "base/memory.h"
#include "protocol/tensor.h"

/* Strides of a dense tensor, in elements. */
void pawl_dense_strides(int ndim, const int64_t *size, int64_t *stride);

/* Sets "shape" and "dtype" of a request's parameters. */
void pawl_shape_to_params(json_t *params, const struct pawl_shape *shape);
pawl_status pawl_shape_from_params(const json_t *params, struct pawl_arena *arena,
                                   struct pawl_shape *out, struct pawl_error *err);

json_t *pawl_tensor_set_to_json(const struct pawl_tensor_set *set);
/* Reads a placed tensor. Fails with PAWL_BAD_DATA if a member is missing or has a wrong type, or if
 * the bytes do not match the sizes. */
pawl_status pawl_tensor_set_from_json(const json_t *array, struct pawl_arena *arena,
                                      struct pawl_tensor_set *out, struct pawl_error *err);
