/* SPDX-License-Identifier: Apache-2.0 */
/* Builds several commits of a search at once, before pawl times anything. */
#pragma once

#include "pairs/bisect_line.h"

/* Builds these places of the line in parallel, as far as pawl compiles them from sources. The
 * builds go into the cache, where the search finds them. A failure says nothing here, because the
 * search meets it again. */
void pawl_bisect_build_together(struct pawl_bisect_job *job, struct pawl_bisect_line *line,
                                const size_t *places, size_t count);

/* Builds the commit at place `at`, which is the next to measure, together with those that may come
 * after it. */
void pawl_bisect_build_ahead(struct pawl_bisect_job *job, struct pawl_bisect_line *line, size_t at);
