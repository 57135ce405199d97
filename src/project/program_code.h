/* SPDX-License-Identifier: Apache-2.0 */
/* The identity of a kernel that is a program behind the protocol or a command: its arguments and
 * all files of the repository, because a program may read any of them. Comments of Python files do
 * not count if no Python file can read them. Two versions run with the
 * same interpreter, packages and variables, because they run now. docs/adr/identical-code.md argues
 * it.
 */
#pragma once

#include "project/project.h"

struct pawl_program_tree;

struct pawl_program_code {
  const char *hash;   /* NULL: unknown, and `why` says why */
  const char *why;    /* NULL: the hash is known, or the kernel is a plug-in */
  const char *files;  /* lines "HASH MODE NAME", sorted by name; NULL: unknown */
  const char *script; /* the first file that the command names; "": none */
  const char *call;   /* the hash of the arguments alone */
  /* the Python that runs the script; NULL: another program */
  const char *interpreter;
  struct pawl_program_tree *tree; /* its files */
};

/* Returns the command of a kernel behind the protocol: its words, then NAME=VALUE for each
 * parameter, with the overrides of the command line. */
struct pawl_strings pawl_kernel_command(struct pawl_project *project,
                                        const struct pawl_kernel_spec *spec);

/* Finds the identity. A failure is an unknown hash. */
void pawl_program_code_find(struct pawl_project *project, const struct pawl_kernel_spec *spec,
                            struct pawl_program_code *out);

/* Returns the name of the first file that differs, or NULL if the script differs itself, or the
 * files are the same. */
const char *pawl_program_code_difference(const struct pawl_program_code *a,
                                         const struct pawl_program_code *b,
                                         struct pawl_arena *arena);

/* Returns whether two known programs are the same code. */
bool pawl_program_code_same(const struct pawl_program_code *base,
                            const struct pawl_program_code *now);
/* Returns whether all files of two trees are known, and the same but for comments of Python
   files. */
bool pawl_program_files_same(struct pawl_project *base, struct pawl_project *now,
                             const char *interpreter);
/* Returns why changed comments may matter, or NULL if more than comments has changed. */
const char *pawl_program_code_reader(const struct pawl_program_code *base,
                                     const struct pawl_program_code *now);
