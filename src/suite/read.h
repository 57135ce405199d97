/* SPDX-License-Identifier: Apache-2.0 */
/* Reads pawl.yaml into the model. */
#pragma once

#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "model/suite.h"

/* Reads a suite into the arena. Fails with PAWL_CONFIG and "pawl.yaml:12:5: unknown key 'sorces' in
   kernel 'fa'; did you mean 'sources'?", or with PAWL_NO_INPUT if there is no such file. */
pawl_status pawl_suite_read(const char *path, struct pawl_arena *arena, struct pawl_suite *out,
                            struct pawl_error *err);
/* Reads a suite from memory, for tests and fuzzing. `path` is for messages. */
pawl_status pawl_suite_parse(const char *text, size_t length, const char *path,
                             struct pawl_arena *arena, struct pawl_suite *out,
                             struct pawl_error *err);
/* Replaces the suite's `sweep` section by the text of one, such as "{softmax: {n: [64, 128]}}".
   Fails with PAWL_USAGE. */
pawl_status pawl_suite_read_sweep(const char *text, struct pawl_arena *arena,
                                  struct pawl_suite *suite, struct pawl_error *err);
