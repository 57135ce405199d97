/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of base/sandbox.c: paths that its two files share. */
#ifndef PAWL_BASE_SANDBOX_PATHS_H
#define PAWL_BASE_SANDBOX_PATHS_H

#define PAWL_SANDBOX_MEMORY "/dev/shm" /* a child in namespaces has one of its own, and its temporary files there */

#endif
