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

/* NAME=VALUE. A value is text: BLOCK_M=64, or a C token. */
struct pawl_param_value {
  const char *name, *value;
};

struct pawl_tune_dimension {
  const char *name;
  struct pawl_strings values;
};

/* Whether the kernel gives the same bits each time. */
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
  /* listed under references: pawl measures it beside the kernels and never judges it */
  bool reference;
  bool optional; /* if its tool or device is missing, the kernel is absent with the reason */
  enum pawl_determinism deterministic;
  enum pawl_source_kind kind;
  struct pawl_strings sources, include_dirs, flags, libs;
  const struct pawl_file_place *source_places; /* in pawl.yaml, one a source */
  bool flags_given;                  /* the list may be empty; else pawl uses the default flags */
  const char *compiler;              /* NULL: cc, c++ or nvcc by the sources' endings */
  struct pawl_strings build_command; /* PAWL_FROM_BUILD */
  const char *build_output;          /* the plug-in that it makes, relative to the suite's folder */
  struct pawl_strings protocol, command; /* PAWL_FROM_PROTOCOL, PAWL_FROM_COMMAND */
  /* the importer that reads a command's output; PAWL_PARSE_WALL: pawl times the command */
  const char *parse;
  /* names and patterns of a harness' benchmarks; none: all benchmarks */
  struct pawl_strings select;
  struct pawl_param_value *params; /* -D, in order */
  size_t param_count;
  struct pawl_tune_dimension *tune;
  size_t tune_count;
  struct pawl_strings constraints;
  const int *constraint_lines; /* in pawl.yaml, one a constraint; NULL: unknown */
  /* the T1 file that has the constraints as its conditions; NULL: pawl.yaml has them */
  const char *constraint_file;
  int line; /* in pawl.yaml, for messages */
};

/* Returns the value of a name in `params`, or NULL. */
const char *pawl_kernel_param(const struct pawl_kernel_spec *spec, const char *name);
/* Returns the params in their order: "BLOCK_M=16,BLOCK_N=64". */
const char *pawl_kernel_params_text(const struct pawl_kernel_spec *spec, struct pawl_arena *arena);
/* Returns whether such a text, which may be NULL, has the item NAME=VALUE. */
bool pawl_params_text_has(const char *text, const char *name, const char *value);
/* Returns whether the kernel is another harness: a command that writes the times of its own
 * benchmarks. Each benchmark is a case, which pawl knows only after the command has run. */
bool pawl_kernel_is_harness(const struct pawl_kernel_spec *spec);
/* Returns whether `select` of a harness has a benchmark. */
bool pawl_kernel_selects(const struct pawl_kernel_spec *spec, const char *name);
/* Returns whether a pattern of `select` is the name, or matches it as a shell pattern whose '*'
 * also matches '/'. */
bool pawl_pattern_matches(const char *pattern, const char *name);
