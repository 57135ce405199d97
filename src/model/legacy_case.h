/* SPDX-License-Identifier: Apache-2.0 */
/* How the scripts that pawl replaces wrote a case: docs/formats.md. They knew one operator,
 * attention. */
#pragma once

#include "model/case.h"
#include "model/fields.h"

/* The earlier scripts' config: {batch_size, num_heads, seq_len, head_dim, dtype} or {batch, heads,
   seq, dim, backend, dtype, iterations, warmup}. Without a `name` the case is named by its shape.
 */
pawl_status pawl_legacy_config(const json_t *config, const char *name,
                               const struct pawl_json_path *path, struct pawl_arena *arena,
                               struct pawl_case *out, struct pawl_error *err);
