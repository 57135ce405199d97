/* SPDX-License-Identifier: Apache-2.0 */
/* Exports the candidates of a search to the formats of Kernel Tuner: its cache (schema 1.1.0),
   which it can resume or simulate, and the results format T4 (schema 1.0.0), which several
   tuners share. */
#pragma once

#include "base/json.h"
#include "tune/tune.h"

/* Write all times on one scale (pawl_tune_current_ms), and the current parameters as one more
 * result. Kernel Tuner resumes only from the exact text, so no newline follows it. */
void pawl_tune_to_kernel_tuner_cache(const struct pawl_tune *tune, struct pawl_text *out);
json_t *pawl_tune_to_t4(const struct pawl_tune *tune);
