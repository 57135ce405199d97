/* SPDX-License-Identifier: Apache-2.0 */
/* The contents of files and folders that pawl has read before. pawl does not read a file again
   while its inode, its size and its times are as they were. Nobody can set the time of the last
   change of an inode (ctime) but by the clock, so that mv, cp -p and rsync do not hide a change. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/seal.h"

/* Larger files count as changed when their inode, size or times change: pawl does not read them. */
#define PAWL_LARGEST_INPUT ((long long)64 << 20)

struct pawl_file_facts {
  struct pawl_hash hash; /* a file: its bytes; a folder: the names in it; absent: zero */
  bool present;
  bool assembler; /* its text may have the assembler read another file (.incbin, .include) */
  bool script;    /* it begins with "#!" */
};

/* Several threads may share it. */
struct pawl_file_table;

/* The table that an earlier command kept at `path`; empty where there is none, or its seal is not
   valid. `key` NULL: the table begins empty, and nobody keeps it. */
struct pawl_file_table *pawl_file_table_open(const char *path, const struct pawl_seal_key *key);
/* Keeps what is new at `path`, where it can: a table that is lost costs time only. */
void pawl_file_table_close(struct pawl_file_table *table);

/* Follows links. */
struct pawl_file_facts pawl_file_table_look(struct pawl_file_table *table, const char *path);

/* Inode, size and times. */
struct pawl_hash pawl_file_signature(const struct stat *info);
