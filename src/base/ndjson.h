/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads lines of JSON (ndjson.org), each synced to the disk before the next. One process
 * may append while another reads, on NFS too: each access opens the file anew, because NFS shows
 * new data only then. */
#pragma once

#include "base/json.h"

#define PAWL_NDJSON_LINE ((size_t)64 << 20) /* the most bytes of a line */

/* Writes one line to an open file and syncs it. `path` is for errors. */
pawl_status pawl_ndjson_write(int fd, const char *path, const json_t *object,
                              struct pawl_error *err);
/* Opens the file and appends one line. */
pawl_status pawl_ndjson_append(const char *path, const json_t *object, struct pawl_error *err);
/* Cuts off an incomplete last line, which a killed writer leaves. An absent file is no error. */
pawl_status pawl_ndjson_mend(const char *path, struct pawl_error *err);

/* A reader and its place in a file. Set only `path` to start at the beginning. */
struct pawl_ndjson {
  const char *path;
  size_t offset, line;
};
/* Returns the next line as a new reference, or NULL if no complete line follows. Fails with
   PAWL_BAD_DATA if it is not JSON. */
pawl_status pawl_ndjson_next(struct pawl_ndjson *reader, json_t **out, struct pawl_error *err);
