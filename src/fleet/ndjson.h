/* SPDX-License-Identifier: Apache-2.0 */
/* Files that one process appends lines of JSON to and another reads as they come, on a file system that both see. Each
   access opens the file anew: NFS shows what others wrote only then. */
#ifndef PAWL_FLEET_NDJSON_H
#define PAWL_FLEET_NDJSON_H

#include "base/json.h"

#define PAWL_NDJSON_LINE ((size_t)64 << 20) /* bytes of a line, at most */

/* Appends one line; it is on the disk when this returns. */
pawl_status pawl_ndjson_append(const char *path, const json_t *object, struct pawl_error *err);
/* Cuts off the last line where a writer was killed in the middle of it. No file is fine. */
pawl_status pawl_ndjson_mend(const char *path, struct pawl_error *err);

/* A reader at a place in a file. Zero but for `path` is at its beginning. */
struct pawl_ndjson {
  const char *path;
  size_t offset, line;
};
/* The next line, a new reference; NULL: there is none that is whole yet. PAWL_BAD_DATA: it is no JSON. */
pawl_status pawl_ndjson_next(struct pawl_ndjson *reader, json_t **out, struct pawl_error *err);

#endif
