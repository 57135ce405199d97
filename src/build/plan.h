/* SPDX-License-Identifier: Apache-2.0 */
/* A worked-out build: every command line, before anything runs. Commands name the paths of the box,
 * all other paths are ours. */
#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "base/strings.h"
#include "build/box.h"
#include "build/build_options.h"
#include "build/words.h"
#include "model/kernel_spec.h"

/* The part that kernels and operators have in common. */
struct pawl_recipe {
  const char *what; /* "kernel 'fa_s512'", for messages */
  enum pawl_source_kind kind;
  bool runs_in_tree; /* the suite has a command that starts the build's output in the tree */
  bool cuda;         /* the architecture of the GPU at hand matters */
  const struct pawl_strings *sources, *include_dirs, *flags, *libs, *build_command;
  const struct pawl_file_place *source_places; /* one for each source; NULL: unknown */
  bool flags_given;
  const char *compiler, *build_output;
  struct pawl_param_value *params; /* with the overrides of the command line */
  size_t param_count;
};

struct pawl_build_unit {
  const char *source;        /* relative to the tree if it lies there */
  const char *object, *deps; /* absolute */
  const char *text;          /* the preprocessor's; absolute */
  bool current;              /* the last build made the object from the same inputs */
  bool kept;                 /* it is current, or pawl had kept it; it is in place */
  bool nvcc;
  struct pawl_words command; /* without options that only Ninja adds */
};

struct pawl_library_copy {
  const char *from, *name; /* from: as commands name it; name: the SONAME, or the file's */
  const char *to;
};

struct pawl_build_plan {
  struct pawl_build_box box;
  const char *tree;   /* absolute, the working folder of every command */
  const char *folder; /* .pawl/build/<key>, absolute */
  const char *plugin; /* in the folder */
  const char *toolchain;
  struct pawl_build_unit *units;
  size_t unit_count;
  struct pawl_words link; /* writes `linked`, which pawl then renames to `plugin` */
  const char *linked;
  const char *trace;                /* the linker names here the files that it reads */
  const char *record;               /* the inputs of the last successful build: build/inputs.h */
  const char *answers;              /* the parts of the compilers, as inputs: build/back_end.h */
  struct pawl_library_copy *copies; /* shared libraries given by path, which go with the plug-in */
  size_t copy_count;
  struct pawl_words link_inputs; /* libraries given by path, which the link waits for */
  struct pawl_words environment; /* NAME=VALUE for Ninja */
};

/* Checks the params' names and values. Those of the command line override the kernel's. */
pawl_status pawl_build_params(const struct pawl_param_value *params, size_t count,
                              const struct pawl_build_options *options, const char *what,
                              struct pawl_arena *arena, struct pawl_param_value **out,
                              size_t *out_count, struct pawl_error *err);

pawl_status pawl_build_plan_make(const struct pawl_recipe *recipe,
                                 const struct pawl_build_options *options, struct pawl_arena *arena,
                                 struct pawl_build_plan *out, struct pawl_error *err);
