/* SPDX-License-Identifier: Apache-2.0 */
/* What other harnesses write: read as the benchmarks of a command, and fed into the history. A
   format is a file of its own and a row of the table in import.c. */
#ifndef PAWL_IMPORT_IMPORT_H
#define PAWL_IMPORT_IMPORT_H

#include "base/json.h"
#include "import/benchmark_list.h"
#include "import/feed.h"
#include "worker/worker_options.h"

/* Reads all benchmarks of a document. PAWL_BAD_DATA names the key that is missing or wrong. */
typedef enum pawl_status_code pawl_importer_read(const json_t *document,
                                                 struct pawl_benchmark_list *list,
                                                 struct pawl_error *err);

/* The same of a text that is no JSON. */
typedef enum pawl_status_code pawl_importer_read_text(const char *text, size_t length,
                                                      struct pawl_benchmark_list *list,
                                                      struct pawl_error *err);

/* The same of what the command wrote into a folder. Adds nothing where the folder has nothing of
 * the format. */
typedef enum pawl_status_code pawl_importer_read_folder(const char *folder,
                                                        struct pawl_benchmark_list *list,
                                                        struct pawl_error *err);

/* A format: a row of the table. */
struct pawl_importer {
  const char *name;
  /* One of the two: what `parse` of pawl.yaml reads; without both it does not take the format. */
  pawl_importer_read *read;
  pawl_importer_read_text *read_text;
  pawl_importer_read_folder *read_folder; /* "{out}" is a folder, read first; NULL: it is a file */
  pawl_feed_read *feed;        /* into the history; NULL: `pawl import` does not take it */
  pawl_feed_read *feed_folder; /* the text's name is that of a folder; NULL: files only */
};

extern const struct pawl_importer pawl_importers[];
extern const size_t pawl_importer_count;

/* The row of a name; NULL: there is none. */
const struct pawl_importer *pawl_importer_find(const char *format);

/* Reads a format from a file, or from what was printed where the file is empty. Its `read` is NULL
   when there is no such format. */
struct pawl_benchmarks_reader pawl_import_reader(const char *format);

/* Appends a time. PAWL_BAD_DATA: it is no number of at least a picosecond. */
pawl_status pawl_times_add(struct pawl_times *times, double seconds, const char *name,
                           struct pawl_arena *arena, struct pawl_error *err);
/* Appends an array of them, each times `unit` seconds. */
pawl_status pawl_times_add_array(struct pawl_times *times, const json_t *array, double unit,
                                 const char *name, struct pawl_arena *arena,
                                 struct pawl_error *err);

/* The formats, a file each. */
pawl_importer_read_text pawl_import_catch2;
pawl_importer_read pawl_import_criterion;
pawl_importer_read_folder pawl_import_criterion_folder;
pawl_importer_read pawl_import_google_benchmark;
pawl_importer_read pawl_import_hyperfine;
pawl_importer_read pawl_import_jmh;
pawl_importer_read pawl_import_nvbench;
pawl_importer_read pawl_import_plain;
pawl_importer_read pawl_import_pytest_benchmark;
pawl_feed_read pawl_feed_catch2;
pawl_feed_read pawl_feed_criterion;
pawl_feed_read pawl_feed_criterion_folder;
pawl_feed_read pawl_feed_github_action_benchmark;
pawl_feed_read pawl_feed_google_benchmark;
pawl_feed_read pawl_feed_hyperfine;
pawl_feed_read pawl_feed_nvbench;
pawl_feed_read pawl_feed_pytest_benchmark;
pawl_feed_read pawl_feed_own_run;
pawl_feed_read pawl_feed_results;

#endif
