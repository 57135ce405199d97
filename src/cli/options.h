/* SPDX-License-Identifier: Apache-2.0 */
/* A command's options are a table, which serves parsing, -h and the manual. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

enum pawl_option_kind {
  PAWL_OPTION_END = 0,
  PAWL_OPTION_FLAG,   /* bool */
  PAWL_OPTION_STRING, /* const char * */
  PAWL_OPTION_PATH,   /* const char *, not empty: a file or a folder */
  PAWL_OPTION_INT,    /* int, within min..max */
  PAWL_OPTION_SEED,   /* uint64_t */
  PAWL_OPTION_REAL,   /* double */
  PAWL_OPTION_LIST    /* struct pawl_option_list: may be repeated */
};

struct pawl_option_list {
  const char **items;
  size_t count;
};

struct pawl_option {
  enum pawl_option_kind kind;
  const char *name; /* "--case", or "-o" */
  void *value;      /* the target, whose type the kind decides */
  /* Without `help`, the option is for pawl's benchmarks and -h omits it. */
  const char *argument, *help;
  int min, max; /* PAWL_OPTION_INT */
};

/* Removes the options from argv and leaves the operands in argv[0 .. *argc). Both may mix; "--"
   ends the options. PAWL_USAGE names the nearest option. Lists live in the arena. */
pawl_status pawl_options_parse(const struct pawl_option *options, int *argc, char **argv,
                               struct pawl_arena *arena, struct pawl_error *err);
/* Returns the words that give the options the values they have now, then "--" and the operands;
 * NULL ends them. A part of a fleet gets these words. They leave out -o, because each part has its
 * own. */
const char *const *pawl_options_words(const struct pawl_option *options, char **operands, int count,
                                      struct pawl_arena *arena);
/* Appends a line such as "  --case NAME   only this case" for each option. */
void pawl_options_help(const struct pawl_option *options, struct pawl_text *out);

/* Parses "2/3", the second of three shards, at most PAWL_SHARDS of them. NULL leaves both.
 * `cpu_apart` needs at least two. Fails with PAWL_USAGE if the text is wrong. */
pawl_status pawl_parse_shard(const char *text, bool cpu_apart, int *shard, int *shards,
                             struct pawl_error *err);
#define PAWL_CPU_APART_HELP \
  "give the CPU kernels to the last part and the GPU kernels to the others"
