/* SPDX-License-Identifier: Apache-2.0 */
/* The formats of other harnesses. A format is a file of its own, with one reader, and a row of the
   table in import.c. The reader serves both the rows of a command and the history. */
#pragma once

#include "import/feed.h"
#include "worker/worker_options.h"

/* A format: a row of the table. */
struct pawl_importer {
  const char *name;
  /* The versions of its tool whose output was tried, for the help and docs/guides/history.md.
     "none": the reader follows the documentation of the tool. */
  const char *tried;
  /* How a document of the format begins, for what a command printed: "{", "[" or "<". NULL: the
     format is text, and all that was printed is the document. */
  const char *begins;
  bool parse;                  /* `parse` of pawl.yaml takes it too */
  bool many_runs;              /* a file has the runs of many commits; else one run */
  pawl_feed_read *feed;        /* reads a file */
  pawl_feed_read *feed_folder; /* the text's name is that of a folder; NULL: files only */
};

extern const struct pawl_importer pawl_importers[];
extern const size_t pawl_importer_count;

/* Returns the row of a name, or NULL. */
const struct pawl_importer *pawl_importer_find(const char *format);

/* Feeds the text that feed->text holds, without a byte-order mark, or the folder that it names.
 * Fails with PAWL_BAD_DATA if the file is empty, is no text that pawl reads, is not of the format,
 * or has no benchmark. */
pawl_status pawl_import_feed(const struct pawl_importer *importer, bool folder,
                             struct pawl_feed *feed, struct pawl_error *err);

/* Reads a format from a file, or from the words that a command printed where the file is empty. Its
   `read` is NULL when `parse` takes no such format. */
struct pawl_benchmarks_reader pawl_import_reader(const char *format);

/* Returns the format of another harness that a file has: its reader finds a time or a value in the
 * file. Returns NULL if no reader does. */
const struct pawl_importer *pawl_import_recognize(const char *path);

/* The formats, a file each. */
pawl_feed_read pawl_feed_asv;
pawl_feed_read pawl_feed_benchmarkdotnet;
pawl_feed_read pawl_feed_catch2;
pawl_feed_read pawl_feed_criterion;
pawl_feed_read pawl_feed_criterion_folder;
pawl_feed_read pawl_feed_github_action_benchmark;
pawl_feed_read pawl_feed_go_bench;
pawl_feed_read pawl_feed_google_benchmark;
pawl_feed_read pawl_feed_hyperfine;
pawl_feed_read pawl_feed_jmh;
pawl_feed_read pawl_feed_kernel_tuner_t4;
pawl_feed_read pawl_feed_mitata;
pawl_feed_read pawl_feed_nvbench;
pawl_feed_read pawl_feed_own_run;
pawl_feed_read pawl_feed_plain;
pawl_feed_read pawl_feed_pytest_benchmark;
pawl_feed_read pawl_feed_results;
pawl_feed_read pawl_feed_tinybench;
pawl_feed_read pawl_feed_vitest;
