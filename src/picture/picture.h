/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the picture of a run with cairo: changes, distributions of samples, moves of the baseline
   and the roofline. */
#pragma once

#include "record/run_report.h"

/* Returns whether the run has anything to draw: a correct kernel with times, or a baseline that
 * moved twice. */
bool pawl_picture_exists(const struct pawl_run_report *report);
/* Appends the picture as SVG text, or as a PNG file of 1960 pixels in width. Appends nothing if
   there is nothing to draw. `dark` chooses the dark theme. Fails with PAWL_IO if cairo fails. */
pawl_status pawl_picture_draw(const struct pawl_run_report *report, bool svg, bool dark,
                              struct pawl_text *out, struct pawl_error *err);
/* Writes the picture to `path`: an SVG if the path ends with ".svg", else a PNG. Fails with
 * PAWL_BAD_DATA if there is nothing to draw. */
pawl_status pawl_picture_write(const struct pawl_run_report *report, const char *path, bool dark,
                               struct pawl_error *err);
