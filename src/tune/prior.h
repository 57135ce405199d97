/* SPDX-License-Identifier: Apache-2.0 */
/* What another search knew: of an earlier version of the code, or on another machine. Its best
   configurations are the first questions of a new search, or all of it guides them. They are tried
   like any others, so a prior that is wrong costs these questions. */
#ifndef PAWL_TUNE_PRIOR_H
#define PAWL_TUNE_PRIOR_H

#include "tune/record.h"
#include "tune/search.h"

#define PAWL_PRIOR_MOST 5u

struct pawl_tune_prior {
  struct pawl_search_known *known; /* all that worked, the fastest first */
  size_t known_count;
  size_t first[PAWL_PRIOR_MOST];
  size_t first_count;
};

/* The best of the record that are configurations of the space, the best first, without those that
   differ from a better one in a single parameter: if the prior is wrong, they are wrong together.
   Parameters are matched by name, values by number or word. A parameter that the record lacks is
   new: its times are of the value that its tuning began with, else of the one that `spec` has
   (NULL: none). A parameter that the space lacks is gone: the times of the value that `spec` has
   count, and where it has none, configurations that differ in it alone have the geometric mean of
   theirs. PAWL_BAD_DATA: the record lacks a parameter of the space and `spec` does too, or none of
   its configurations is in the space. */
pawl_status pawl_tune_prior(const struct pawl_tune_record *record, const char *path,
                            const struct pawl_space *space, const struct pawl_kernel_spec *spec,
                            struct pawl_arena *arena, struct pawl_tune_prior *out,
                            struct pawl_error *err);
/* The same, of a record in a file. */
pawl_status pawl_tune_prior_read(const char *path, const struct pawl_space *space,
                                 const struct pawl_kernel_spec *spec, struct pawl_arena *arena,
                                 struct pawl_tune_prior *out, struct pawl_error *err);
/* Gives it to a search: all, if the strategy learns from it, and else the best as its first
 * questions. */
void pawl_tune_prior_use(const struct pawl_tune_prior *prior, struct pawl_search *search);

#endif
