/* SPDX-License-Identifier: Apache-2.0 */
/* The interval of a result: by process where the result has processes, else what its file says of
 * its samples. */
#ifndef PAWL_GATE_RESULT_INTERVAL_H
#define PAWL_GATE_RESULT_INTERVAL_H

#include <stdbool.h>
#include <stddef.h>

#include "model/result.h"

/* Writes the median time of each process that has samples, in milliseconds, and returns how many
   there are. `medians` has room for result->process_count. */
size_t pawl_result_process_medians(const struct pawl_result *result, double *medians);

/* The 95 % interval of the median, in milliseconds; NaN: unknown. True: by process, computed from
   the samples of each, unknown of fewer than PAWL_PROCESS_INTERVAL_LEAST. False: the result has no
   processes, and the figures are the file's ci_95_low and ci_95_high. */
bool pawl_result_interval(const struct pawl_result *result, double *low, double *high);

/* The fastest call of each process, which what holds a call up never makes faster: the least and
   the greatest over processes, in milliseconds. NaN of fewer than PAWL_PROCESS_INTERVAL_LEAST
   processes. */
void pawl_result_fastest(const struct pawl_result *result, double *least, double *greatest);

#endif
