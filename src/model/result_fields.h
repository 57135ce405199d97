/* SPDX-License-Identifier: Apache-2.0 */
/* Between result.c, results.c and legacy.c: the parts of a row. */
#ifndef PAWL_MODEL_RESULT_FIELDS_H
#define PAWL_MODEL_RESULT_FIELDS_H

#include "model/fields.h"
#include "model/result.h"

/* A row as pawl writes it. `ours`: the document carries schema_version, so that names and config follow our rules;
   otherwise the earlier scripts' spelling is read too. */
pawl_status pawl_result_from_json(const json_t *row, bool ours, const struct pawl_json_path *path,
                                  struct pawl_arena *arena, struct pawl_result *out, struct pawl_error *err);
/* The rules between values: ordered bounds, a time where the outcome is "ok". */
pawl_status pawl_result_check(const struct pawl_result *result, const struct pawl_json_path *path,
                              struct pawl_error *err);

/* The earlier scripts' config: {batch_size, num_heads, seq_len, head_dim, dtype} or {batch, heads, seq, dim, backend,
   dtype, iterations, warmup}. Without a `name` the case is named by its shape. */
pawl_status pawl_legacy_config(const json_t *config, const char *name, const struct pawl_json_path *path,
                               struct pawl_arena *arena, struct pawl_case *out, struct pawl_error *err);
/* One of results[] of a sweep. */
pawl_status pawl_legacy_sweep_row(const json_t *row, const struct pawl_json_path *path, struct pawl_arena *arena,
                                  struct pawl_result *out, struct pawl_error *err);
/* One of configs{} of a baseline; *commit is its git_commit or NULL. */
pawl_status pawl_legacy_baseline_row(const json_t *row, const char *name, const struct pawl_json_path *path,
                                     struct pawl_arena *arena, struct pawl_result *out, const char **commit,
                                     struct pawl_error *err);

#endif
