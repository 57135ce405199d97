/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a search on one sheet: the best time found after each tried candidate, and a map of the two
   most important parameters. */
#pragma once

#include "base/error.h"
#include "tune/insight.h"

/* Returns whether there is anything to draw, which needs two timed candidates. */
bool pawl_search_has_picture(const struct pawl_tune *tune);
/* Writes a PNG. */
pawl_status pawl_search_picture(const struct pawl_tune *tune,
                                const struct pawl_tune_insight *insight, const char *path,
                                struct pawl_error *err);
