/* SPDX-License-Identifier: Apache-2.0 */
/* The candidates of a tuning in the formats of Kernel Tuner: its cache (schema 1.1.0), which it
   continues from or simulates with, and the results format T4 (schema 1.0.0) that several tuners
   share. */
#ifndef PAWL_TUNE_KERNEL_TUNER_H
#define PAWL_TUNE_KERNEL_TUNER_H

#include "base/json.h"
#include "tune/tune.h"

/* The times are on one scale (pawl_tune_current_ms), and the current parameters are a result beside
   the candidates. Kernel Tuner continues from the text only as it is: no newline follows. */
void pawl_tune_to_kernel_tuner_cache(const struct pawl_tune *tune, struct pawl_text *out);
json_t *pawl_tune_to_t4(const struct pawl_tune *tune);

#endif
