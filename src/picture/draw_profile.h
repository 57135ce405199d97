/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files that draw a profile: its parts, each in a box. */
#pragma once

#include "picture/draw.h"
#include "profile/change.h"

/* The roofline of the counters: nothing without floating-point work. draw_ceilings.c */
void pawl_draw_ceilings(cairo_t *cr, const struct pawl_theme *theme,
                        const struct pawl_profile_kernel *kernel, struct pawl_box box);
/* How busy each unit is; the stalls, the largest first; what moves between the levels of the
 * memory. draw_units.c */
void pawl_draw_units(cairo_t *cr, const struct pawl_theme *theme,
                     const struct pawl_profile_kernel *kernel, struct pawl_box box);
void pawl_draw_stalls(cairo_t *cr, const struct pawl_theme *theme,
                      const struct pawl_profile_kernel *kernel, struct pawl_box box);
void pawl_draw_memory(cairo_t *cr, const struct pawl_theme *theme,
                      const struct pawl_profile_kernel *kernel, struct pawl_box box);
