/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of JSON (ndjson.org), each on the disk before the next. Where one process appends to a file
   and another reads it as it comes, on a file system that both see, each access opens it anew: NFS
   shows what others wrote only then. */
#ifndef PAWL_BASE_NDJSON_H
#define PAWL_BASE_NDJSON_H

#include "base/json.h"

#define PAWL_NDJSON_LINE ((size_t)64 << 20) /* bytes of a line, at most */

/* Writes one line to a file that is open; it is on the disk when this returns. `path` is for
 * errors. */
pawl_status pawl_ndjson_write(int fd, const char *path, const json_t *object,
                              struct pawl_error *err);
/* The same, at the end of a file that it opens. */
pawl_status pawl_ndjson_append(const char *path, const json_t *object, struct pawl_error *err);
/* Cuts off the last line where a writer was killed in the middle of it. No file is fine. */
pawl_status pawl_ndjson_mend(const char *path, struct pawl_error *err);

/* A reader at a place in a file. Zero but for `path` is at its beginning. */
struct pawl_ndjson {
  const char *path;
  size_t offset, line;
};
/* The next line, a new reference; NULL: there is none that is whole yet. PAWL_BAD_DATA: it is no
 * JSON. */
pawl_status pawl_ndjson_next(struct pawl_ndjson *reader, json_t **out, struct pawl_error *err);

#endif
