/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps one issue for each change of the history that needs a person. A hidden line of its text
 * says which change it is about, so that a second run, or a second machine, finds it. */
#pragma once

#include "build/remote_page.h"
#include "forge/forge.h"
#include "store/store.h"

#define PAWL_ISSUE_DAYS 30      /* a change of this age or less opens an issue */
#define PAWL_ISSUE_LOOK_DAYS 90 /* pawl looks after issues that somebody touched in these days */
#define PAWL_ISSUE_MOST 10      /* new issues of one call */

struct pawl_issue_counts {
  size_t opened, updated, closed, left; /* left: more changes that open no issue this time */
};

/* Opens an issue for each new loss of the default branch that nobody has explained, updates those
 * that are open, and closes those of a change that is expected, fixed or wrong, or whose level is
 * back. An issue that a person has closed stays closed. `link` is the address of the dashboard;
 * NULL: unknown. */
pawl_status pawl_forge_change_issues(struct pawl_forge *forge, struct pawl_store *store,
                                     const struct pawl_remote_links *links, const char *link,
                                     struct pawl_issue_counts *counts, struct pawl_error *err);
