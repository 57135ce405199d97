/* SPDX-License-Identifier: Apache-2.0 */
/* Exports the candidates of a search as a cache of Kernel Tuner (schema 1.1.0), which it can resume
   or simulate. */
#pragma once

#include "tune/tune.h"

/* Writes all times on one scale (pawl_tune_current_ms), and the current parameters as one more
 * result. Kernel Tuner resumes only from the exact text, so no newline follows it. */
void pawl_tune_to_kernel_tuner_cache(const struct pawl_tune *tune, struct pawl_text *out);
