/* SPDX-License-Identifier: Apache-2.0 */
/* What other harnesses write, read as times. A format is a function in a file of its own and a row of the table in
   import.c. */
#ifndef PAWL_IMPORT_IMPORT_H
#define PAWL_IMPORT_IMPORT_H

#include "base/json.h"
#include "worker/worker_options.h"

/* The times of one benchmark, in seconds, every one positive and finite; where the file holds no single times, one
   figure stands for it. Several benchmarks in one file give their times one after the other. In the arena. */
struct pawl_times {
  double *seconds;
  size_t count;
};

/* PAWL_BAD_DATA names the key that is missing or wrong; `name` is for messages. */
typedef enum pawl_status_code pawl_importer_read(const json_t *document, const char *name, struct pawl_arena *arena,
                                                 struct pawl_times *out, struct pawl_error *err);

/* A format: a row of the table. */
struct pawl_importer {
  const char *name;
  pawl_importer_read *read;
};

extern const struct pawl_importer pawl_importers[];
extern const size_t pawl_importer_count;

/* Reads a format from a file, or from what was printed where the file is empty. Its `read` is NULL when there is no
   such format. */
struct pawl_times_reader pawl_import_reader(const char *format);

/* Appends a time. PAWL_BAD_DATA: it is no number of at least a picosecond. */
pawl_status pawl_times_add(struct pawl_times *times, double seconds, const char *name, struct pawl_arena *arena,
                           struct pawl_error *err);
/* Appends an array of them, each times `unit` seconds. */
pawl_status pawl_times_add_array(struct pawl_times *times, const json_t *array, double unit, const char *name,
                                 struct pawl_arena *arena, struct pawl_error *err);

/* The formats, a file each. */
pawl_importer_read pawl_import_criterion;
pawl_importer_read pawl_import_google_benchmark;
pawl_importer_read pawl_import_hyperfine;
pawl_importer_read pawl_import_nvbench;
pawl_importer_read pawl_import_pytest_benchmark;

#endif
