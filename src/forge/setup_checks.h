/* SPDX-License-Identifier: Apache-2.0 */
/* Checks with a token whether a repository on a code host has the settings that its workflows
 * need. */
#pragma once

#include "forge/forge.h"
#include "forge/workflow_files.h"

#define PAWL_SETUP_CHECKS 16

struct pawl_setup_check {
  const char *name;
  bool ok, required; /* required: without it strangers can run code here, or nothing measures */
  const char *found; /* the present state, or the reason */
  const char *remedy;
};
struct pawl_setup_checks {
  struct pawl_setup_check items[PAWL_SETUP_CHECKS];
  size_t count;
};

enum pawl_forge_host { PAWL_FORGE_GITHUB, PAWL_FORGE_GITLAB, PAWL_FORGE_FORGEJO };

/* The kind of the host: of the job that this is, else by its well-known name, else by the workflows
 * of the repository.
 */
enum pawl_forge_host pawl_forge_host_of(const struct pawl_workflow_setup *setup);

/* Where to ask, and the token, outside a job too: `forge` has arena, log and http. GitHub's,
   GitLab's and Forgejo's variables go before what the remote says. PAWL_USAGE: there is no remote
   that names a repository. */
pawl_status pawl_forge_read_setup(struct pawl_forge *forge, enum pawl_forge_host host,
                                  const struct pawl_workflow_setup *setup, const char *token_file,
                                  struct pawl_error *err);

/* A setting that pawl cannot read is not ok and says why. Texts live in forge->arena. */
void pawl_forge_check_setup(struct pawl_forge *forge, enum pawl_forge_host host,
                            const struct pawl_workflow_setup *setup, struct pawl_setup_checks *out);
