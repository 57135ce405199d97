/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the interval of a result: by process if it has processes, else from its file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "model/result.h"

/* Writes the median time of each process with samples, in milliseconds, and returns their number.
   `medians` has room for result->process_count. */
size_t pawl_result_process_medians(const struct pawl_result *result, double *medians);

/* Computes the 95 % interval of the median in milliseconds; NaN: unknown. Returns true for an
 * interval by process, which is unknown for fewer than PAWL_PROCESS_INTERVAL_LEAST. Returns false
 * for a result without processes, with its file's ci_95_low and ci_95_high. */
bool pawl_result_interval(const struct pawl_result *result, double *low, double *high);

/* Returns whether other programs held up calls of the result, so that its times are upper
 * bounds. */
bool pawl_result_held_up(const struct pawl_result *result);

/* Returns whether each flush before a cold call on a GPU left clean lines. */
bool pawl_result_flushed_clean(const struct pawl_result *result);

/* Finds the fastest call of each process, which no delay makes faster: the least and the greatest
 * over processes, in milliseconds. Both are NaN for fewer than PAWL_PROCESS_INTERVAL_LEAST
 * processes. */
void pawl_result_fastest(const struct pawl_result *result, double *least, double *greatest);
