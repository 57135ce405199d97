/* SPDX-License-Identifier: Apache-2.0 */
/* JSON from outside. The parser recurses, and a value takes up to a hundred times the memory of its
   text. So pawl bounds the depth and the number of values before it parses. */
#include "base/untrusted.h"

#include <sys/stat.h>

#include "base/file.h"

/* The values that a parser builds from the text, at most if it is not JSON. */
struct extent {
  int depth;
  size_t values, containers;
};

static struct extent measure(const char *text, size_t length) {
  struct extent extent = {0};
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < length; i++) {
    if (in_string) {
      if (text[i] == '\\')
        i++; /* an escaped character does not end the string */
      else
        in_string = text[i] != '"';
      continue;
    }
    in_string = text[i] == '"';
    const bool opens = text[i] == '{' || text[i] == '[';
    depth += opens;
    extent.containers += opens;
    extent.values += opens || text[i] == ',';
    if (text[i] == '}' || text[i] == ']') depth--;
    if (depth > extent.depth) extent.depth = depth;
  }
  return extent;
}

pawl_status pawl_untrusted_parse(const char *text, size_t length, const char *name, json_t **out,
                                 struct pawl_error *err) {
  const struct extent extent = measure(text, length);
  if (extent.depth > PAWL_UNTRUSTED_DEPTH)
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' is nested more than %d deep", name,
                     PAWL_UNTRUSTED_DEPTH);
  if (extent.values > PAWL_UNTRUSTED_VALUES || extent.containers > PAWL_UNTRUSTED_CONTAINERS)
    return pawl_fail(err, PAWL_BAD_DATA, "'%s' has more than %d values or %d lists and objects",
                     name, PAWL_UNTRUSTED_VALUES, PAWL_UNTRUSTED_CONTAINERS);
  return pawl_json_parse(text, length, name, false, out, err);
}

pawl_status pawl_untrusted_read(const char *path, size_t limit, json_t **out,
                                struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct stat info;
  /* A link could show a file that this job may read and the reader of its output may not. */
  if (lstat(path, &info) == 0 && !S_ISREG(info.st_mode))
    return pawl_fail(err, PAWL_BAD_DATA,
                     "'%s' is not a regular file: it is a link, a folder or a device", path);
  PAWL_TRY(pawl_file_read(path, limit, &text, err));
  return pawl_untrusted_parse(pawl_text_string(&text), text.length, path, out, err);
}
