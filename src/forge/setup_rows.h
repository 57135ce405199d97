/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of `pawl doctor --forge`, and a file for each kind of code host. */
#pragma once

#include "forge/setup_checks.h"

struct setup_checking {
  struct pawl_forge *forge;
  const struct pawl_workflow_setup *setup;
  const char *page; /* the repository's page, for remedies */
  struct pawl_setup_checks *out;
};

void pawl_setup_add(const struct setup_checking *checking, const char *name, bool required, bool ok,
                    const char *found, const char *remedy);
const char *pawl_setup_page(const struct setup_checking *checking, const char *below);
/* Returns the answer, a new reference. NULL: a row says why there is none. `where`: the page of the
 * setting. */
json_t *pawl_setup_ask(const struct setup_checking *checking, const char *name, const char *path,
                       const char *where);
/* A string of an object, "" when it has none; owned by the object. */
const char *pawl_setup_text(const json_t *object, const char *key);

/* Whether the workflow is there and names all files that are measured. */
void pawl_setup_check_files(const struct setup_checking *checking, const char *workflow,
                            const char *host);
/* `repository`: an object with default_branch. */
void pawl_setup_check_branch(const struct setup_checking *checking, const json_t *repository);

void pawl_setup_check_github(const struct setup_checking *checking);
void pawl_setup_check_gitlab(const struct setup_checking *checking);
void pawl_setup_check_forgejo(const struct setup_checking *checking);
