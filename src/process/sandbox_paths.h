/* SPDX-License-Identifier: Apache-2.0 */
/* Internal to process/sandbox.c: paths that its two files share. */
#ifndef PAWL_PROCESS_SANDBOX_PATHS_H
#define PAWL_PROCESS_SANDBOX_PATHS_H

/* A child in namespaces has a folder of its own here, with its temporary files. */
#define PAWL_SANDBOX_MEMORY "/dev/shm"

#endif
