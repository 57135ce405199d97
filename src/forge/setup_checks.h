/* SPDX-License-Identifier: Apache-2.0 */
/* Checks with a token whether a repository on GitHub has the settings that its workflows need. */
#pragma once

#include "forge/forge.h"
#include "forge/workflow_files.h"

#define PAWL_SETUP_CHECKS 16

struct pawl_setup_check {
  const char *name;
  bool ok, required; /* required: without it strangers can run code here, or nothing measures */
  const char *found; /* the present state, or why pawl cannot read it */
  const char *remedy;
};
struct pawl_setup_checks {
  struct pawl_setup_check items[PAWL_SETUP_CHECKS];
  size_t count;
};

/* Finds the API's address and the token, also outside a job. `forge` has arena, log and http. The
 * variables of GitHub go before the address of origin. Fails with PAWL_USAGE if neither names a
 * repository, or if its workflows are of another code host. */
pawl_status pawl_forge_read_setup(struct pawl_forge *forge, const struct pawl_workflow_setup *setup,
                                  const char *token_file, struct pawl_error *err);

/* Checks all settings. A setting that pawl cannot read is not ok. Texts live in forge->arena. */
void pawl_forge_check_setup(struct pawl_forge *forge, const struct pawl_workflow_setup *setup,
                            struct pawl_setup_checks *out);
