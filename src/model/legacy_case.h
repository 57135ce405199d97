/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a case of the scripts that pawl replaces (docs/formats.md). Their one operator is
 * attention. */
#pragma once

#include "model/case.h"
#include "model/fields.h"

/* Reads {batch_size, num_heads, seq_len, head_dim, dtype} or {batch, heads, seq, dim, backend,
 * dtype, iterations, warmup}. If `name` is NULL, the shape is the case's name. */
pawl_status pawl_legacy_config(const json_t *config, const char *name,
                               const struct pawl_json_path *path, struct pawl_arena *arena,
                               struct pawl_case *out, struct pawl_error *err);
