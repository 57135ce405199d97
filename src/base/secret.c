/* SPDX-License-Identifier: Apache-2.0 */
#include "base/secret.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/file.h"

#define SECRET_LIMIT ((size_t)64 << 10) /* enough bytes for an app's private key */

bool pawl_secret_given(const struct pawl_secret_source *source) {
  return source->env || source->file;
}

static pawl_status load_file(const char *path, const char *what, struct pawl_text *out,
                             struct pawl_error *err) {
  struct stat info;
  if (stat(path, &info)) return pawl_fail_errno(err, errno, "cannot open '%s' with %s", path, what);
  if (info.st_mode & S_IROTH)
    return pawl_fail(err, PAWL_NOT_PERMITTED,
                     "everybody can read '%s' with %s; run chmod 600 on it", path, what);
  return pawl_file_read(path, SECRET_LIMIT, out, err);
}

pawl_status pawl_secret_load(const struct pawl_secret_source *source, const char *what,
                             struct pawl_text *out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_secret_clear) struct pawl_text text = {0};
  if (source->file) {
    PAWL_TRY(load_file(source->file, what, &text, err));
  } else if (source->env) {
    const char *value = getenv(source->env);
    if (!value)
      return pawl_fail(err, PAWL_NO_INPUT, "%s is not set: the variable '%s' is missing", what,
                       source->env);
    pawl_text_add(&text, value);
  } else {
    return pawl_fail(err, PAWL_NO_INPUT,
                     "%s is not set; name a variable or a file that contains it", what);
  }
  while (text.length && strchr("\r\n", text.data[text.length - 1])) text.data[--text.length] = '\0';
  if (!text.length || strlen(text.data) != text.length)
    return pawl_fail(err, PAWL_NO_INPUT, "%s in '%s' is %s", what,
                     source->file ? source->file : source->env,
                     text.length ? "not a text" : "empty");
  pawl_secret_clear(out);
  *out = text;
  text = (struct pawl_text){0};
  return PAWL_OK;
}

void pawl_secret_clear(struct pawl_text *secret) {
  if (secret && secret->data) explicit_bzero(secret->data, secret->capacity);
  pawl_text_clear(secret);
}
