/* SPDX-License-Identifier: Apache-2.0 */
/* A library for pawl_fork.py, which forks the processes of Python kernels: docs/adr/fork-server.md.
 * They get the sandbox, the limits and the descriptors of a process that pawl starts itself. The
 * server forks a founder. The founder forks process 1 of the sandbox and the new process, and ends.
 * Then both are children of pawl. */
#include <errno.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "process/child_packet.h"

#define EXPORT __attribute__((visibility("default")))

EXPORT bool pawl_forked_read(int packet, const int *fds, int count);
EXPORT void pawl_forked_found(int gate);
EXPORT void pawl_forked_tell(int number);
EXPORT void pawl_forked_settle(int gate);

static struct pawl_arena arena;
static const struct pawl_child *child;
static struct pawl_child_note born = {.kind = PAWL_CHILD_BORN};

/* The server opens the gate when the founder has ended, so that pawl is the parent by then. */
static void await_gate(int gate) {
  char byte;
  ssize_t got;
  do got = read(gate, &byte, 1);
  while (got < 0 && errno == EINTR);
  if (got != 1) _exit(127);
}

/* Returns false if the packet is of another build of pawl. */
bool pawl_forked_read(int packet, const int *fds, int count) {
  struct stat info;
  if (fstat(packet, &info) != 0) return false;
  const size_t size = (size_t)info.st_size;
  char *bytes = pawl_arena_alloc(&arena, size + 1, 1);
  if (pread(packet, bytes, size, 0) != info.st_size) return false;
  child = pawl_child_packet_read(bytes, size, fds, count, &arena);
  return child != NULL;
}

/* Runs in the founder: makes the namespaces and process 1, if the sandbox has any. */
void pawl_forked_found(int gate) {
  if (!child->plan || !child->plan->namespaces) return;
  born.unbound = !pawl_cgroup_enter(child->group);
  if (!pawl_sandbox_unshare(child->plan))
    pawl_child_fail(child->report[1], (struct pawl_child_note){.kind = PAWL_CHILD_NO_NAMESPACES});
  born.first = fork();
  if (born.first != 0) return;
  await_gate(gate);
  pawl_child_be_first(child);
}

/* Runs in the founder at its end: tells pawl the number of the new process, -1 if there is none. */
void pawl_forked_tell(int number) {
  born.child = number;
  if (number < 0 || born.first < 0)
    born = (struct pawl_child_note){
        .kind = PAWL_CHILD_FAILED, .value = EAGAIN, .first = born.first > 0 ? born.first : 0};
  pawl_child_fail(child->report[1], born);
}

/* Runs in the new process, which becomes what the child of pawl is before its program. */
void pawl_forked_settle(int gate) {
  const bool mounted = child->plan && child->plan->namespaces;
  if (mounted && !pawl_sandbox_mount(child->plan))
    pawl_child_fail(child->report[1], (struct pawl_child_note){.kind = PAWL_CHILD_NO_NAMESPACES});
  await_gate(gate);
  close(pawl_child_settle(child, mounted));
  prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); /* as after the start of a program */
}
