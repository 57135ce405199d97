/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the programs that pawl calls: their versions, their purpose, and how to get a missing
 * one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "process/sandbox.h"

struct pawl_tool_spec {
  const char *name;
  const char *needed_for; /* "CPU kernels built from source" */
  const char *remedy;     /* "install the Debian package gcc" */
  /* the version is on the first line of `--version` with this text; NULL: on the first line */
  const char *marker;
  const char *folders[4]; /* pawl looks here after PATH; relative folders start at $CUDA_HOME */
  bool required;          /* without it pawl cannot do its main work */
};

struct pawl_tool {
  const struct pawl_tool_spec *spec;
  const char *path;    /* NULL: not found */
  const char *version; /* NULL: not found, or no answer */
  const char *reason;  /* why pawl cannot use it; NULL: it can */
};

extern const struct pawl_tool_spec pawl_tool_specs[];
extern const size_t pawl_tool_spec_count;

/* Asks every program of the table for its version, each for at most a few seconds. Strings live in
 * the arena. */
void pawl_tools_probe(struct pawl_arena *arena, struct pawl_tool **out, size_t *count);

/* Asks one program by its name in the table, or any other by name or path. A program that is not
 * in the table runs in the sandbox. NULL: in a sandbox that shows all files. Never fails: see
 * `reason`. */
struct pawl_tool pawl_tool_probe_in(const char *name, const struct pawl_sandbox *sandbox,
                                    struct pawl_arena *arena);
/* Does the same with NULL. */
struct pawl_tool pawl_tool_probe(const char *name, struct pawl_arena *arena);
/* Does the same without asking for a version: sets path or reason only. */
struct pawl_tool pawl_tool_find(const char *name, struct pawl_arena *arena);
