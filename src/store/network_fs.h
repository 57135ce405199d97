/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Returns the folder's network file system, such as "nfs", or NULL if pawl knows none. */
const char *pawl_network_fs(const char *folder);
/* Does the same for a type of statfs(2). */
const char *pawl_network_fs_name(unsigned long type);
