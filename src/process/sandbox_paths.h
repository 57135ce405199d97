/* SPDX-License-Identifier: Apache-2.0 */
/* Shares paths and system calls between the files of process/sandbox.c. */
#pragma once

#include <stdbool.h>

struct pawl_sandbox;
struct pawl_sandbox_plan;
struct pawl_sandbox_step;

/* A child in namespaces has a folder of its own here, with its temporary files. */
#define PAWL_SANDBOX_MEMORY "/dev/shm"
/* While the child's own root grows, ours is here, and overlays keep what the child writes there. */
#define PAWL_SANDBOX_OLD_ROOT "/old"
#define PAWL_SANDBOX_LAYERS "/layers"

/* Plans the steps that show `wanted->views`. */
void pawl_sandbox_plan_root(struct pawl_sandbox_plan *plan, const struct pawl_sandbox *wanted);
/* Calls `each` for every file or folder of the system that each child sees. */
void pawl_sandbox_each_system(void (*each)(void *context, const char *path), void *context);

/* Returns whether an overlay at the folder would hide another file system. */
bool pawl_sandbox_has_mount_below(const char *folder);

/* The functions below run in the child. */
bool pawl_sandbox_mount_at(const char *type, const char *path, unsigned long flags,
                           const char *options);
/* Replaces the root folder by one that the plan's steps build, with an empty /proc. Ours is still
   at PAWL_SANDBOX_OLD_ROOT. */
bool pawl_sandbox_build_root(const struct pawl_sandbox_plan *plan);
/* Removes our root. From then on the child's root folder itself takes no writes. */
bool pawl_sandbox_close_root(void);
