/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the rows of `pawl doctor --forge`. Each kind of code host has a file. */
#pragma once

#include "forge/setup_checks.h"

struct setup_checking {
  struct pawl_forge *forge;
  const struct pawl_workflow_setup *setup;
  const char *page; /* the repository's page, for remedies */
  const char *text; /* the workflow's; "" if there is none */
  struct pawl_setup_checks *out;
};

void pawl_setup_add(const struct setup_checking *checking, const char *name, bool required, bool ok,
                    const char *found, const char *remedy);
const char *pawl_setup_page(const struct setup_checking *checking, const char *below);
/* Asks the API and returns the answer as a new reference. If there is none, adds a row that says
 * why and returns NULL. `where` is the setting's place below the repository's page. */
json_t *pawl_setup_ask(const struct setup_checking *checking, const char *name, const char *path,
                       const char *where);
/* Returns the string of an object's key, or "". The object owns it. */
const char *pawl_setup_text(const json_t *object, const char *key);

/* Checks that the workflow is there and names all files that pawl measures, and takes its text. */
void pawl_setup_check_files(struct setup_checking *checking, const char *workflow,
                            const char *host);
/* Checks that the default branch of origin has the workflow, as this clone knows it. */
void pawl_setup_check_pushed(const struct setup_checking *checking, const char *workflow);
/* Checks where the machines get pawl: the file's PINNED_URL or the value of the variable
 * PAWL_BUNDLE_URL, "" if there is none. Machines of the host have no pawl, so they need a bundle.
 */
void pawl_setup_check_bundle(const struct setup_checking *checking, const char *file,
                             const char *variable, bool needed);
/* `repository` is an object with default_branch. */
void pawl_setup_check_branch(const struct setup_checking *checking, const json_t *repository);

void pawl_setup_check_github(struct setup_checking *checking);
void pawl_setup_check_gitlab(struct setup_checking *checking);
void pawl_setup_check_forgejo(struct setup_checking *checking);
