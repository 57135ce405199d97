/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAWL_STORE_NETWORK_FS_H
#define PAWL_STORE_NETWORK_FS_H

/* The name of the network file system that a folder lies on: "nfs"; NULL: it lies on none that is
 * known. */
const char *pawl_network_fs(const char *folder);
/* The same of the type that statfs(2) gives. */
const char *pawl_network_fs_name(unsigned long type);

#endif
