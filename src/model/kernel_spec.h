/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel in a suite: its source, its build, its tunable parameters. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/file_place.h"
#include "base/strings.h"
#include "model/source_kind.h"
#include "pawl/tensor.h"

#define PAWL_PARSE_WALL "wall"

/* NAME=VALUE; values are kept as text: BLOCK_M=64, or a C token. */
struct pawl_param_value {
  const char *name, *value;
};

struct pawl_tune_dimension {
  const char *name;
  struct pawl_strings values;
};

/* Does it give the same bits each time? */
enum pawl_determinism {
  PAWL_DETERMINISM_REPORTED = 0 /* the kernel's own word holds */,
  PAWL_DETERMINISM_YES,
  PAWL_DETERMINISM_NO
};

struct pawl_kernel_spec {
  const char *name;
  const char *operator_name;             /* NULL for a command */
  struct pawl_file_place operator_place; /* in pawl.yaml */
  int32_t device;                        /* enum pawl_device_kind */
  bool reference; /* listed under references: measured beside the kernels, never gated */
  bool optional; /* its tool or device may be missing: then the kernel is absent, with the reason */
  enum pawl_determinism deterministic;
  enum pawl_source_kind kind;
  struct pawl_strings sources, include_dirs, flags, libs;
  const struct pawl_file_place *source_places; /* in pawl.yaml, one a source */
  bool flags_given;                            /* even an empty list; else the default flags */
  const char *compiler;                        /* NULL: cc / c++ / nvcc by the sources' endings */
  struct pawl_strings build_command;           /* PAWL_FROM_BUILD */
  const char *build_output;              /* the plug-in it makes, relative to the suite's folder */
  struct pawl_strings protocol, command; /* PAWL_FROM_PROTOCOL, PAWL_FROM_COMMAND */
  const char *parse; /* importer that reads a command's output; PAWL_PARSE_WALL: time the command */
  struct pawl_strings
      select; /* names and patterns of the benchmarks of a harness; none: all of them */
  struct pawl_param_value *params; /* -D, in order */
  size_t param_count;
  struct pawl_tune_dimension *tune;
  size_t tune_count;
  struct pawl_strings constraints;
  const int *constraint_lines; /* in pawl.yaml, one a constraint; NULL: unknown */
  const char
      *constraint_file; /* a T1 file that has them as its conditions; NULL: pawl.yaml has them */
  int line;             /* in pawl.yaml, for messages */
};

/* The value that `params` gives a name; NULL: none. */
const char *pawl_kernel_param(const struct pawl_kernel_spec *spec, const char *name);
/* "BLOCK_M=16,BLOCK_N=64": its params in their order. */
const char *pawl_kernel_params_text(const struct pawl_kernel_spec *spec, struct pawl_arena *arena);
/* Whether such a text has the item NAME=VALUE. text may be NULL. */
bool pawl_params_text_has(const char *text, const char *name, const char *value);
/* Whether the kernel is another harness: a command that writes the times of benchmarks of its own.
   Each is a case of the kernel, which is known once the command has run. */
bool pawl_kernel_is_harness(const struct pawl_kernel_spec *spec);
/* Whether `select` of a harness leaves a benchmark in. */
bool pawl_kernel_selects(const struct pawl_kernel_spec *spec, const char *name);
/* Whether a pattern of `select` is the name, or matches it as a shell pattern whose '*' matches '/'
 * too. */
bool pawl_pattern_matches(const char *pattern, const char *name);
