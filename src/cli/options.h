/* SPDX-License-Identifier: Apache-2.0 */
/* Options of a command as a table: parsing, -h and the manual come from the same rows. */
#ifndef PAWL_CLI_OPTIONS_H
#define PAWL_CLI_OPTIONS_H

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
  const char *name;            /* "--case", or "-o" */
  void *value;                 /* where it goes, by kind */
  const char *argument, *help; /* help NULL: an option for benchmarks of pawl; -h leaves it out */
  int min, max;                /* PAWL_OPTION_INT */
};

/* Takes the options out of argv (options and operands may mix; "--" ends the options) and leaves
   the operands in argv[0 .. *argc). PAWL_USAGE with the nearest option. Lists live in the arena. */
pawl_status pawl_options_parse(const struct pawl_option *options, int *argc, char **argv,
                               struct pawl_arena *arena, struct pawl_error *err);
/* "  --case NAME   only this case", a line each. */
void pawl_options_help(const struct pawl_option *options, struct pawl_text *out);

/* "2/3": the second of three parts; at most PAWL_SHARDS of them. NULL: as they are. `cpu_apart`
   needs two at least. PAWL_USAGE. */
pawl_status pawl_parse_shard(const char *text, bool cpu_apart, int *shard, int *shards,
                             struct pawl_error *err);
#define PAWL_CPU_APART_HELP \
  "give the CPU kernels to the last part and the GPU kernels to the others"

#endif
