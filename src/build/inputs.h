/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of a build: each file and folder that decided its outputs, by content.
 * docs/adr/content-decides.md argues it. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "build/file_table.h"

enum pawl_input_kind {
  PAWL_INPUT_FILE = 'f',      /* the compiler or the linker read it */
  PAWL_INPUT_TOOL = 't',      /* a program, or a file that a flag names */
  PAWL_INPUT_LISTING = 'l',   /* the names in a folder */
  PAWL_INPUT_NAMES = 'n',     /* the names of all files below a folder, without hidden folders */
  PAWL_INPUT_ALL_NAMES = 'a', /* the names of all files below a folder */
  PAWL_INPUT_CONTENTS = 'c',  /* the contents of all files below a folder */
};

struct pawl_input {
  enum pawl_input_kind kind;
  const char *path; /* absolute */
  struct pawl_hash hash;
};

/* A zeroed struct is empty. Paths and items live in the arena. */
struct pawl_inputs {
  struct pawl_input *items;
  size_t count, capacity;
};

#define PAWL_WALKED_TREES 8 /* the most trees whose names pawl remembers */

/* The files that one command knows. Several threads may share them. */
struct pawl_known_inputs {
  pthread_mutex_t lock;
  struct pawl_file_table *table; /* NULL: nobody has looked yet */
  struct pawl_arena arena;
  struct {
    const char *root;
    struct pawl_hash names;
    int64_t time;
  } trees[PAWL_WALKED_TREES];
  size_t tree_count;
};
void pawl_known_inputs_init(struct pawl_known_inputs *known);
/* Forgets the names in trees, so the next look walks them again. */
void pawl_known_inputs_look_again(struct pawl_known_inputs *known);
/* Keeps the table of files for the next command. */
void pawl_known_inputs_clear(struct pawl_known_inputs *known);

/* How pawl looks at the inputs of one build. */
struct pawl_input_look {
  struct pawl_known_inputs *known;
  const char *skipped[3]; /* folders that no walk enters; NULL ends them */
};
/* Makes a look. The table of files is in `cache_folder`. `output_folder` may be NULL. */
struct pawl_input_look pawl_input_look_make(struct pawl_known_inputs *known,
                                            const char *cache_folder, const char *output_folder,
                                            const struct pawl_seal_key *key);

/* Adds an input once. */
void pawl_inputs_add(struct pawl_inputs *inputs, struct pawl_arena *arena,
                     enum pawl_input_kind kind, const char *path);
/* Hashes each input as it is now. */
void pawl_inputs_take(struct pawl_inputs *inputs, const struct pawl_input_look *look);
/* Returns the first input that has changed since pawl_inputs_take(), or NULL. */
const char *pawl_inputs_changed(const struct pawl_inputs *inputs,
                                const struct pawl_input_look *look);
/* Returns whether a look at the input walks through folders. */
bool pawl_input_walks(const struct pawl_input *input);
/* Returns the path, below the folder of this input of names, of the one file that came since
 * pawl_inputs_take(). Returns NULL if anything else has changed there. */
const char *pawl_inputs_new_file(const struct pawl_input *names, const struct pawl_input_look *look,
                                 struct pawl_arena *arena);
/* Hashes all inputs, without their paths. */
struct pawl_hash pawl_inputs_hash(const struct pawl_inputs *inputs);

pawl_status pawl_inputs_write(const struct pawl_inputs *inputs, const char *path,
                              struct pawl_error *err);
/* Returns false if there is no such file. */
bool pawl_inputs_read(struct pawl_inputs *inputs, struct pawl_arena *arena, const char *path);

/* A tree as it was just after somebody wrote `mark`, a new file. The last change (ctime) of an
 * unchanged file is before that of the mark, and each folder above it has kept its inode, because
 * somebody may move a folder with old files into its place. This needs one clock for the tree and
 * for the mark. So if the tree has folders of other file systems, or if `exact`, the snapshot has
 * the inode, size and times of each file. */
struct pawl_snapshot {
  const char *root;
  const struct pawl_input_look *look;
  bool exact;
  bool links; /* the walk has met a link, whose target is outside of the folders */
  struct stat mark;
  int64_t wall, uptime;     /* two clocks, in ns; only the first one may jump */
  struct pawl_hash names;   /* the sum of the files' hashes */
  struct pawl_text folders; /* their paths from the root; a NUL ends each */
  struct pawl_hash *items;
  size_t count, capacity;
};
pawl_status pawl_snapshot_take(struct pawl_snapshot *snapshot, const char *root, const char *mark,
                               bool exact, const struct pawl_input_look *look,
                               struct pawl_error *err);
void pawl_snapshot_clear(struct pawl_snapshot *snapshot);
/* Returns whether the file at this absolute path is unchanged. A file that the walk does not visit
 * is unchanged if its last change is before that of the mark. */
bool pawl_snapshot_holds(const struct pawl_snapshot *snapshot, const char *path);
/* Spares the next look at the names in the tree its walk, if no folder has changed. A file that
 * comes or goes changes its folder's ctime. */
void pawl_snapshot_recall_names(const struct pawl_snapshot *snapshot);
/* Returns whether all files are unchanged; false if the snapshot is not exact. */
bool pawl_snapshot_equal(const struct pawl_snapshot *a, const struct pawl_snapshot *b);
