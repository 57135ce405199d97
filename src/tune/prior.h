/* SPDX-License-Identifier: Apache-2.0 */
/* The prior of a search: a search of an earlier version of the code, or on another machine. Its
   best configurations are the first questions of a new search, or all of it guides them. The
   search measures them like any others, so a wrong prior costs only these questions. */
#pragma once

#include "tune/record.h"
#include "tune/search.h"

#define PAWL_PRIOR_MOST 5u

struct pawl_tune_prior {
  struct pawl_search_known *known; /* all working configurations, the fastest first */
  size_t known_count;
  size_t first[PAWL_PRIOR_MOST];
  size_t first_count;
};

/* Finds the best configurations of the record that are in the space, the best first. It leaves out
 * a configuration that differs from a better one in a single parameter, because both would be wrong
 * together. Parameters match by name, and values by number or word. A parameter that the record
 * lacks is new: all times belong to the value with which its search began, else to the value in
 * `spec` (NULL: none). A parameter that the space lacks is gone: only times of the value in `spec`
 * count. If `spec` has no value, configurations that differ in it alone get the geometric mean of
 * their times. Fails with PAWL_BAD_DATA if the record and `spec` lack a parameter of the space, or
 * if no configuration of the record is in the space. */
pawl_status pawl_tune_prior(const struct pawl_tune_record *record, const char *path,
                            const struct pawl_space *space, const struct pawl_kernel_spec *spec,
                            struct pawl_arena *arena, struct pawl_tune_prior *out,
                            struct pawl_error *err);
/* Does the same for a record in a file. */
pawl_status pawl_tune_prior_read(const char *path, const struct pawl_space *space,
                                 const struct pawl_kernel_spec *spec, struct pawl_arena *arena,
                                 struct pawl_tune_prior *out, struct pawl_error *err);
/* Gives the prior to a search: all of it if the strategy learns from it, else the best as first
   questions. */
void pawl_tune_prior_use(const struct pawl_tune_prior *prior, struct pawl_search *search);
