/* SPDX-License-Identifier: Apache-2.0 */
/* Two versions of a Python program that differ in comments and layout alone are the same code.
 * docs/adr/identical-code.md argues it.
 */
#pragma once

#include "base/strings.h"

/* The Python files of two trees. Names are below the trees. */
struct pawl_program_comments {
  const char *interpreter;     /* the path of an installed one */
  const char *base, *now;      /* the folders */
  struct pawl_strings changed; /* the files that differ: plain files of both trees */
  struct pawl_strings scripts; /* all Python files of the version that is new */
};

/* Returns NULL if comments are the only change and no Python file can read them; "": code has
   changed; else the reason why comments may matter. No code of the files runs. */
const char *pawl_program_comments_differ(const struct pawl_program_comments *comments,
                                         struct pawl_arena *arena);
