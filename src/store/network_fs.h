/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

/* Returns the name of the folder's network file system: "nfs"; NULL: none that pawl knows. */
const char *pawl_network_fs(const char *folder);
/* Returns this name for a type of statfs(2). */
const char *pawl_network_fs_name(unsigned long type);
