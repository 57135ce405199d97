/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of process/sandbox.c: paths that its two files share. */
#ifndef PAWL_PROCESS_SANDBOX_PATHS_H
#define PAWL_PROCESS_SANDBOX_PATHS_H

#define PAWL_SANDBOX_MEMORY \
  "/dev/shm" /* a child in namespaces has one of its own, and its temporary files there */

#endif
