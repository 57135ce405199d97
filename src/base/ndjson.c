/* SPDX-License-Identifier: Apache-2.0 */
#include "base/ndjson.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"

#define CHUNK ((size_t)16 << 10)

pawl_status pawl_ndjson_write(int fd, const char *path, const json_t *object,
                              struct pawl_error *err) {
  char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(12));
  PAWL_ASSERT(text);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text line = {0};
  pawl_text_printf(&line, "%s\n", text);
  free(text);
  for (size_t done = 0; done < line.length;) {
    const ssize_t wrote = write(fd, line.data + done, line.length - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) return pawl_fail_errno(err, errno, "cannot write '%s'", path);
    done += (size_t)wrote;
  }
  return fdatasync(fd) ? pawl_fail_errno(err, errno, "cannot write '%s'", path) : PAWL_OK;
}

pawl_status pawl_ndjson_append(const char *path, const json_t *object, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_close)
  int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (fd < 0) return pawl_fail_errno(err, errno, "cannot open '%s'", path);
  return pawl_ndjson_write(fd, path, object, err);
}

pawl_status pawl_ndjson_mend(const char *path, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_close) int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0 && errno == ENOENT) return PAWL_OK;
  if (fd < 0) return pawl_fail_errno(err, errno, "cannot open '%s'", path);
  off_t end = lseek(fd, 0, SEEK_END);
  char last;
  while (end > 0 && pread(fd, &last, 1, end - 1) == 1 && last != '\n') end--;
  return ftruncate(fd, end) ? pawl_fail_errno(err, errno, "cannot write '%s'", path) : PAWL_OK;
}

/* Reads from the reader's place to the end of the line. *whole: the line has an end. */
static pawl_status ndjson_read_line(const struct pawl_ndjson *reader, int fd,
                                    struct pawl_text *text, bool *whole, struct pawl_error *err) {
  char chunk[CHUNK];
  *whole = false;
  while (!*whole && text->length < PAWL_NDJSON_LINE) {
    const ssize_t got = pread(fd, chunk, sizeof chunk, (off_t)(reader->offset + text->length));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return pawl_fail_errno(err, errno, "cannot read '%s'", reader->path);
    if (!got) return PAWL_OK;
    const char *end = memchr(chunk, '\n', (size_t)got);
    *whole = end != NULL;
    pawl_text_add_bytes(text, chunk, end ? (size_t)(end - chunk) : (size_t)got);
  }
  return *whole ? PAWL_OK
                : pawl_fail(err, PAWL_BAD_DATA, "'%s': line %zu is too long", reader->path,
                            reader->line + 1);
}

pawl_status pawl_ndjson_next(struct pawl_ndjson *reader, json_t **out, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_close) int fd = open(reader->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  bool whole = false;
  *out = NULL;
  if (fd < 0 && errno == ENOENT) return PAWL_OK;
  if (fd < 0) return pawl_fail_errno(err, errno, "cannot open '%s'", reader->path);
  PAWL_TRY(ndjson_read_line(reader, fd, &text, &whole, err));
  if (!whole) return PAWL_OK;
  PAWL_TRY(pawl_json_parse_from(pawl_text_string(&text), text.length, reader->path,
                                (int)reader->line + 1, false, out, err));
  reader->offset += text.length + 1;
  reader->line++;
  return PAWL_OK;
}
