/* SPDX-License-Identifier: Apache-2.0 */
/* The pictures of a sweep: files such as speedup-light.svg and speedup-dark.png. */
#pragma once

#include "sweep/claims.h"

#define PAWL_SWEEP_PICTURES 6
const char *pawl_sweep_picture_name(size_t picture);
#define PAWL_SWEEP_PICTURE_FILE 64
/* Writes the name of its file, such as "speedup-dark.png". */
void pawl_sweep_picture_file(size_t picture, bool svg, bool dark,
                             char out[PAWL_SWEEP_PICTURE_FILE]);
/* Describes the picture for a reader who does not see it. */
const char *pawl_sweep_picture_words(size_t picture);
/* Returns whether the claims have a value to draw. */
bool pawl_sweep_picture_exists(size_t picture, const struct pawl_sweep_claims *claims);
/* Returns whether the file shows an existing picture: pawl_sheet_is(). */
bool pawl_sweep_picture_is(size_t picture, const struct pawl_sweep_claims *claims, bool svg,
                           bool dark, const struct pawl_text *file);
/* Appends an existing picture as SVG, or as PNG. Fails with PAWL_IO if cairo fails. */
pawl_status pawl_sweep_picture_draw(size_t picture, const struct pawl_sweep_claims *claims,
                                    bool svg, bool dark, struct pawl_text *out,
                                    struct pawl_error *err);
