/* SPDX-License-Identifier: Apache-2.0 */
/* Reads rows of the files of the scripts that pawl replaces (docs/formats.md). Their one operator
 * is attention. */
#pragma once

#include "model/fields.h"
#include "model/result.h"

/* Reads a row of results[] of a sweep. */
pawl_status pawl_legacy_sweep_row(const json_t *row, const struct pawl_json_path *path,
                                  struct pawl_arena *arena, struct pawl_result *out,
                                  struct pawl_error *err);
/* Reads an entry of configs{} of a baseline. *commit is its git_commit, or NULL. */
pawl_status pawl_legacy_baseline_row(const json_t *row, const char *name,
                                     const struct pawl_json_path *path, struct pawl_arena *arena,
                                     struct pawl_result *out, const char **commit,
                                     struct pawl_error *err);
