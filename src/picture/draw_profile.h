/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the parts of a profile, each in a box, for this room alone. */
#pragma once

#include "picture/draw.h"
#include "profile/change.h"

/* Draws the roofline, or nothing for a kernel without floating-point work. In draw_ceilings.c. */
void pawl_draw_ceilings(cairo_t *cr, const struct pawl_theme *theme,
                        const struct pawl_profile_kernel *kernel, struct pawl_box box);
/* Draw how busy each unit is, the stalls with the largest first, and the traffic between the levels
   of the memory. In draw_units.c. */
void pawl_draw_units(cairo_t *cr, const struct pawl_theme *theme,
                     const struct pawl_profile_kernel *kernel, struct pawl_box box);
void pawl_draw_stalls(cairo_t *cr, const struct pawl_theme *theme,
                      const struct pawl_profile_kernel *kernel, struct pawl_box box);
void pawl_draw_memory(cairo_t *cr, const struct pawl_theme *theme,
                      const struct pawl_profile_kernel *kernel, struct pawl_box box);
