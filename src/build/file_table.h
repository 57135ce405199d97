/* SPDX-License-Identifier: Apache-2.0 */
/* Remembers the contents of files and folders. pawl does not read a file again while its inode,
 * size and times stay the same. mv, cp -p and rsync cannot hide a change, because only the clock
 * sets the time of the last change of an inode (ctime). */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/seal.h"
#include "base/text.h"

/* pawl reads larger files only if they are programs or libraries. Others count as changed if their
   inode, size or times change. */
#define PAWL_LARGEST_INPUT ((long long)64 << 20)

/* Returns whether a source, or a preprocessor's output, may ask the assembler for another file. It
   joins adjacent strings, such as ".inc" "bin". */
bool pawl_text_reads_by_assembler(const struct pawl_text *text);

/* The folders in the paths of a text. */
struct pawl_path_use {
  bool above;  /* "..", as in "../a.h" */
  bool hidden; /* a folder whose name begins with a dot, as in "../.made/a.h" */
};
/* Adds the folders that the text names to `use`. */
void pawl_text_path_use(const char *text, struct pawl_path_use *use);

/* Returns whether a directive of the source may name a file in another way than by the letters of
 * its name, such as `#include MACRO`. */
bool pawl_text_computes_names(const struct pawl_text *text);
/* Joins the lines that end with a backslash, as compilers do. */
void pawl_text_join_lines(struct pawl_text *text);

struct pawl_file_facts {
  struct pawl_hash hash; /* a file's bytes, or the names in a folder; absent: zero */
  bool present;
  bool assembler; /* the assembler may read another file for it (.incbin, .include) */
  bool script;    /* it begins with "#!" */
  bool computes;  /* pawl_text_computes_names() */
  bool program;   /* a program or a library of machine code */
  struct pawl_path_use paths;
};

/* Several threads may share a table. */
struct pawl_file_table;

/* Opens the user's table, which an earlier command kept beside the key. It is empty without a
 * table, or if the seal is not valid. If `key` is NULL, the table begins empty, and nobody keeps
 * it. */
struct pawl_file_table *pawl_file_table_open(const struct pawl_seal_key *key);
/* Keeps new entries, if it can. A lost table costs only time. */
void pawl_file_table_close(struct pawl_file_table *table);

/* Looks at a file or folder, and follows links. */
struct pawl_file_facts pawl_file_table_look(struct pawl_file_table *table, const char *path);

/* Hashes inode, size and times. */
struct pawl_hash pawl_file_signature(const struct stat *info);
/* Adds a file's path and signature to a sum, in which the order of the files does not count. */
void pawl_file_sum_add(struct pawl_hash *sum, const char *path, const struct stat *info);
