/* SPDX-License-Identifier: Apache-2.0 */
/* A sandbox for a child that runs code under test: docs/adr/sandbox.md. The child sees only its own
   processes, no network, and the files as they are. Its writes end with it. pawl uses namespaces
   where the machine allows them, else Landlock, which forbids writes, else nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/memory.h"

/* If this variable is "required", nothing runs without a full sandbox, whatever the suite says. */
#define PAWL_ISOLATION_VARIABLE "PAWL_ISOLATION"

/* The isolation of a sandbox. FULL: files, processes and network. FILES: files, and the memory of
   other processes. */
enum pawl_isolation { PAWL_ISOLATION_NONE, PAWL_ISOLATION_FILES, PAWL_ISOLATION_FULL };

const char *pawl_isolation_name(enum pawl_isolation isolation); /* "none", "files", "full" */

/* How the child may use a view. */
enum pawl_view_use {
  PAWL_VIEW_READ,
  PAWL_VIEW_WRITE, /* its writes stay */
  PAWL_VIEW_COPY,  /* its writes end with it where there are namespaces, and stay elsewhere */
  /* An empty folder in place of ours, in an earlier view. In one with COPY it is there also where
     we have none, or a file. Without namespaces it hides nothing below a view that the child may
     change. */
  PAWL_VIEW_EMPTY,
  PAWL_VIEW_NAMES, /* copies in memory of some files of the folder; without namespaces, as COPY */
};

/* A file or folder that the child sees. */
struct pawl_sandbox_view {
  const char *source; /* our path. NULL or absent: no view, but for EMPTY */
  const char *target; /* the child's path; NULL: the same */
  enum pawl_view_use use;
  const char *const *names; /* NAMES: paths below the source, NULL-terminated; they outlive it */
  bool dated;               /* NAMES: all copies have PAWL_COPIES_TIME */
};

#define PAWL_COPIES_TIME 315532800 /* 1980-01-01, the first day of archives such as zip */

/* Views that a caller collects one by one, in the arena. */
struct pawl_sandbox_view_list {
  struct pawl_arena *arena;
  struct pawl_sandbox_view *items;
  size_t count, capacity;
};

/* Appends a view. Keeps both strings, not copies. The result is valid until the next call. */
struct pawl_sandbox_view *pawl_sandbox_view_add(struct pawl_sandbox_view_list *list,
                                                const char *source, const char *target,
                                                enum pawl_view_use use);

#define PAWL_SANDBOX_HIDDEN 3
#define PAWL_SANDBOX_HOME "/pawl/home" /* an empty home, where there are views */

/* The caller's request. */
struct pawl_sandbox {
  /* The child sees these, the system's programs and devices, an empty home and an empty /tmp, and
     nothing else. An outer folder comes before a folder in it. NULL: the child sees all files.
     Without namespaces each view has its source's path. So ask pawl_sandbox_has_root before or set
     `moved`, and name paths with pawl_sandbox_seen. */
  const struct pawl_sandbox_view *views;
  size_t view_count;
  const char *folder; /* the working folder; NULL: ours */
  /* the child finds these folders empty or cannot read their files; NULL: none */
  const char *hidden[PAWL_SANDBOX_HIDDEN];
  const char *shared; /* a folder where its writes stay for others to read; NULL: none */
  bool required;      /* fails to start without FULL */
  /* The command names paths that only views give. Without a root folder of its own the start fails
     with PAWL_TRY_AGAIN. Then pawl_sandbox_expects_root says whether the machine gives any. */
  bool moved;
  /* the most processes and threads, if the machine allows control groups; 0: the default */
  uint64_t processes;
  uint64_t memory; /* bytes of all its processes together; 0: no limit, or a later one */
};

#define PAWL_SANDBOX_OVERLAYS 3

/* A step that builds the child's own root folder. */
struct pawl_sandbox_step {
  enum { STEP_LINK, STEP_BIND, STEP_OVERLAY, STEP_EMPTY, STEP_NAMES } kind;
  const char *source;       /* below PAWL_SANDBOX_OLD_ROOT; STEP_LINK: what the link holds */
  const char *target;       /* absolute */
  const char *options;      /* STEP_OVERLAY */
  const char *const *names; /* STEP_NAMES; STEP_OVERLAY: empty folders in it */
  bool file, writable, dated;
};

/* The prepared sandbox, because the child cannot allocate. */
struct pawl_sandbox_plan {
  struct pawl_arena arena;
  bool namespaces;
  bool root; /* the child has a root folder of its own, which the steps build */
  struct pawl_sandbox_step *steps;
  size_t step_count;
  const char *folder, *shared;
  const char **hidden; /* absolute paths without links, NULL-terminated */
  struct {
    const char *path, *options, *upper, *work;
  } overlays[PAWL_SANDBOX_OVERLAYS]; /* folders below which it may write for itself alone */
  int overlay_count;
  const char *scratch;           /* where it may write without namespaces; NULL: no Landlock */
  const char *const *changeable; /* NULL-terminated: views that it may change */
  /* NULL-terminated: the readable paths without namespaces; NULL: nothing is hidden */
  const char *const *readable;
  const char *const *devices; /* NULL-terminated: writable files of devices */
  char user_map[64], group_map[64];
};

/* Prepares a sandbox. With `namespaces`, they keep its writes; else a scratch folder does, if the
   machine has Landlock. */
void pawl_sandbox_plan_init(struct pawl_sandbox_plan *plan, const struct pawl_sandbox *wanted,
                            bool namespaces);
void pawl_sandbox_plan_release(struct pawl_sandbox_plan *plan);

/* Returns whether this machine lets a child have a root folder of its own. If no child has told
   yet, the first call tries it out. */
bool pawl_sandbox_has_root(void);
/* Returns false if this machine is known to refuse a child a root folder of its own. Tries nothing
   out. */
bool pawl_sandbox_expects_root(void);
/* Returns the child's path of our absolute path, by the innermost view that holds it. Returns NULL
   if it is in no view. In the arena. */
const char *pawl_sandbox_seen(const struct pawl_sandbox_view *views, size_t count, const char *path,
                              struct pawl_arena *arena);
/* Returns our path of the child's path, or the path itself if it is in no view. */
const char *pawl_sandbox_unseen(const struct pawl_sandbox_view *views, size_t count,
                                const char *path, struct pawl_arena *arena);

/* Writes "folder/name" to a buffer of PATH_MAX bytes. Returns false if it is too long. */
bool pawl_sandbox_join(char *out, const char *folder, const char *name);
/* Makes the folders above a path. */
bool pawl_sandbox_make_parents(const char *path);
/* Copies the named files into the step's target. A file that is gone has no copy. */
bool pawl_sandbox_copy_names(const struct pawl_sandbox_step *step);

/* The functions below are the child's steps, in this order. They are async-signal-safe. The first
   runs in a process whose children live in the sandbox, and makes their namespaces. Returns false
   if the machine does not allow it. */
bool pawl_sandbox_unshare(const struct pawl_sandbox_plan *plan);
/* Runs in the first child of that process, which is process 1. Waits for its end, which ends all
   processes of the sandbox. */
_Noreturn void pawl_sandbox_run_first(void);
/* Runs in the next child and mounts its files. Returns false if the machine does not allow it. */
bool pawl_sandbox_mount(const struct pawl_sandbox_plan *plan);
/* The last step, also without the steps above. Gives up all privileges, for executed programs too,
   and the right to write. */
enum pawl_isolation pawl_sandbox_enter(const struct pawl_sandbox_plan *plan, bool mounted);
