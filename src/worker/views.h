/* SPDX-License-Identifier: Apache-2.0 */
/* The place of a worker's process. Where the machine has namespaces, each version of the code runs
 * at the same paths, on copies of its files, and sees nothing else of the user:
 * docs/adr/sandbox.md. So code under test cannot tell whether it is the base or the candidate. */
#pragma once

#include "worker/driver.h"

#define PAWL_SEEN_TREE "/pawl/tree"     /* the top of the repository */
#define PAWL_SEEN_PLUGIN "/pawl/kernel" /* the plug-in and its libraries */

/* Plans the place once. The worker has no views without surroundings, without a sandbox, or where
 * the machine gives no root folder. */
void pawl_worker_find_views(struct pawl_worker *worker);
/* Returns the process's path of one of our absolute paths, in the worker's arena. */
const char *pawl_worker_seen(struct pawl_worker *worker, const char *path);
/* Returns the path of its interpreter if no version of the repository can change that, else NULL:
 * one of the machine, or of a virtual environment of the user, whose folder *environment gets. */
const char *pawl_worker_outside_program(struct pawl_worker *worker, const char **environment);
/* Returns the process's working folder as its start needs it: ours, or that of its copies. */
const char *pawl_worker_folder(struct pawl_worker *worker);
