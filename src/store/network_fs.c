/* SPDX-License-Identifier: Apache-2.0 */
#include "store/network_fs.h"

#include <stddef.h>
#include <sys/vfs.h>

#include "base/count.h"

const char *pawl_network_fs_name(unsigned long type) {
  static const struct {
    unsigned long type;
    const char *name;
  } known[] = {/* from linux/magic.h, and from the file systems outside the kernel */
               {0x6969, "nfs"},      {0xff534d42, "cifs"}, {0xfe534d42, "smb2"},
               {0x517b, "smb"},      {0x01021997, "9p"},   {0x00c36400, "ceph"},
               {0x5346414f, "afs"},  {0x6b414653, "afs"},  {0x0bd00bd0, "lustre"},
               {0x47504653, "gpfs"}, {0x73757245, "coda"}, {0x19830326, "beegfs"},
               {0x65735546, "fuse"}};
  for (size_t i = 0; i < PAWL_COUNT(known); i++)
    if (known[i].type == (type & 0xffffffff)) return known[i].name;
  return NULL;
}

const char *pawl_network_fs(const char *folder) {
  struct statfs found;
  return statfs(folder, &found) ? NULL : pawl_network_fs_name((unsigned long)found.f_type);
}
