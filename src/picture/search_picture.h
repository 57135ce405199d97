/* SPDX-License-Identifier: Apache-2.0 */
/* A search on one sheet: how the best found fell with the candidates tried, and a map of the two
   parameters that matter most. */
#pragma once

#include "base/error.h"
#include "tune/insight.h"

/* Whether there is anything to draw: two candidates that were timed. */
bool pawl_search_has_picture(const struct pawl_tune *tune);
/* Writes a PNG. */
pawl_status pawl_search_picture(const struct pawl_tune *tune,
                                const struct pawl_tune_insight *insight, const char *path,
                                struct pawl_error *err);
