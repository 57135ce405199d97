/* SPDX-License-Identifier: Apache-2.0 */
/* The programs that pawl calls: which are here, in what version, what each is for, and how to get a
 * missing one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"

/* One row of the table. */
struct pawl_tool_spec {
  const char *name;
  const char *needed_for; /* "CPU kernels built from source" */
  const char *remedy;     /* "install the Debian package gcc" */
  bool required;          /* without it pawl cannot do its main work */
  const char *marker; /* the version is on the first line of `--version` that holds this; NULL: the
                         first line */
  const char *folders[4]; /* looked into after PATH; relative ones start at $CUDA_HOME */
};

struct pawl_tool {
  const struct pawl_tool_spec *spec;
  const char *path;    /* NULL: not found */
  const char *version; /* NULL when it is not found or does not answer */
  const char *reason;  /* why it cannot be used; NULL: it can */
};

extern const struct pawl_tool_spec pawl_tool_specs[];
extern const size_t pawl_tool_spec_count;

/* Asks every program of the table for its version, each for at most a few seconds. Strings live in
 * the arena. */
void pawl_tools_probe(struct pawl_arena *arena, struct pawl_tool **out, size_t *count);

/* One program by its name in the table, or any other by name or path. Never fails: see `reason`. */
struct pawl_tool pawl_tool_probe(const char *name, struct pawl_arena *arena);
/* The same without asking for a version: path or reason only. */
struct pawl_tool pawl_tool_find(const char *name, struct pawl_arena *arena);
