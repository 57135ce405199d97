/* SPDX-License-Identifier: Apache-2.0 */
/* Carries a child to another program, which forks it: docs/adr/fork-server.md. */
#pragma once

#include "process/child.h"

/* The descriptors that travel with a packet: the report, those of the control group, and those of
   the child. */
#define PAWL_CHILD_PACKET_FDS (1 + PAWL_CGROUP_FOLDERS + PAWL_PROCESS_FDS)

/* Appends the packet. fds[] gets the descriptors in the order of the packet. Returns their number.
 */
int pawl_child_packet_write(const struct pawl_child *child, struct pawl_text *out,
                            int fds[PAWL_CHILD_PACKET_FDS]);
/* Reads a packet that another program of the same build has written. The texts live in the arena.
   Returns NULL if the packet is of another build. The child has no program and no environment. */
struct pawl_child *pawl_child_packet_read(char *bytes, size_t length, const int *fds, int count,
                                          struct pawl_arena *arena);
