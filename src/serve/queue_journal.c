/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/queue_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"

#define HASH_DIGITS (PAWL_HASH_TEXT - 1)

void pawl_journal_line(const json_t *record, struct pawl_text *out) {
  char *text = json_dumps(record, JSON_COMPACT | JSON_ENSURE_ASCII), digits[PAWL_HASH_TEXT];
  PAWL_ASSERT(text != NULL);
  pawl_hash_format(pawl_hash_bytes(text, strlen(text)), digits);
  pawl_text_printf(out, "%s %s\n", digits, text);
  free(text);
}

/* Returns the record of a line, or NULL if the line is damaged. */
static json_t *parse_line(const char *line, size_t length) {
  char digits[PAWL_HASH_TEXT];
  if (length <= HASH_DIGITS + 1 || line[HASH_DIGITS] != ' ') return NULL;
  const char *text = line + HASH_DIGITS + 1;
  const size_t text_length = length - HASH_DIGITS - 1;
  pawl_hash_format(pawl_hash_bytes(text, text_length), digits);
  if (memcmp(digits, line, HASH_DIGITS) != 0) return NULL;
  return json_loadb(text, text_length, JSON_REJECT_DUPLICATES, NULL);
}

/* Reads whole lines. Returns the length of all of them. */
static size_t replay(const struct pawl_text *text, pawl_journal_reader reader, void *context,
                     struct pawl_journal_report *report) {
  size_t offset = 0;
  for (const char *end;
       offset < text->length && (end = memchr(text->data + offset, '\n', text->length - offset));) {
    json_t *record = parse_line(text->data + offset, (size_t)(end - text->data) - offset);
    if (record) reader(context, record);
    *(record ? &report->records : &report->skipped) += 1;
    json_decref(record);
    offset = (size_t)(end - text->data) + 1;
  }
  report->cut = text->length - offset;
  return offset;
}

pawl_status pawl_journal_open(struct pawl_journal *journal, const char *path,
                              pawl_journal_reader reader, void *context,
                              struct pawl_journal_report *report, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_journal_report found = {0};
  PAWL_CLEANUP(pawl_close) int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (fd < 0) return pawl_fail_errno(err, errno, "cannot open the journal '%s'", path);
  PAWL_TRY(pawl_file_read(path, PAWL_JOURNAL_LIMIT, &text, err));
  const size_t length = replay(&text, reader, context, &found);
  if (found.cut && (ftruncate(fd, (off_t)length) || fsync(fd)))
    return pawl_fail_errno(err, errno, "cannot remove the unfinished record from the journal '%s'",
                           path);
  *journal = (struct pawl_journal){.path = pawl_path_join(".", path), .fd = fd, .bytes = length};
  pthread_mutex_init(&journal->lock, NULL);
  pthread_cond_init(&journal->synced_more, NULL);
  *report = found;
  fd = -1;
  return PAWL_OK;
}

void pawl_journal_close(struct pawl_journal *journal) {
  if (!journal || !journal->path) return;
  pawl_close(&journal->fd);
  pawl_free(journal->path);
  pthread_mutex_destroy(&journal->lock);
  pthread_cond_destroy(&journal->synced_more);
  *journal = (struct pawl_journal){.fd = -1};
}

static pawl_status fail_broken(const struct pawl_journal *journal, struct pawl_error *err) {
  return pawl_fail(err, PAWL_IO,
                   "cannot sync the journal '%s'; pawl tries to write it anew each second",
                   journal->path);
}

/* The caller holds the lock. */
static pawl_status queue_journal_write_line(struct pawl_journal *journal,
                                            const struct pawl_text *line, struct pawl_error *err) {
  if (journal->broken) return fail_broken(journal, err);
  size_t done = 0;
  while (done < line->length) {
    const ssize_t put = write(journal->fd, line->data + done, line->length - done);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) break;
    done += (size_t)put;
  }
  if (done == line->length) {
    journal->bytes += done;
    return PAWL_OK;
  }
  const int number = errno;
  if (ftruncate(journal->fd, (off_t)journal->bytes))
    journal->broken = true; /* half a record is in the middle */
  return pawl_fail_errno(err, number, "cannot write the journal '%s'", journal->path);
}

pawl_status pawl_journal_append(struct pawl_journal *journal, const json_t *record,
                                uint64_t *number, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text line = {0};
  pawl_journal_line(record, &line);
  pthread_mutex_lock(&journal->lock);
  const enum pawl_status_code status = queue_journal_write_line(journal, &line, err);
  if (status == PAWL_OK) *number = ++journal->written;
  pthread_mutex_unlock(&journal->lock);
  return status;
}

/* The caller holds the lock. The function releases it while the disk works. */
static void sync_all(struct pawl_journal *journal) {
  const uint64_t target = journal->written;
  journal->syncing = true;
  pthread_mutex_unlock(&journal->lock);
  int failed;
  do failed = fdatasync(journal->fd);
  while (failed && errno == EINTR);
  pthread_mutex_lock(&journal->lock);
  journal->syncing = false;
  if (failed)
    journal->broken = true; /* the kernel may have dropped the pages, so a second try would lie */
  if (!failed) journal->synced = target;
  pthread_cond_broadcast(&journal->synced_more);
}

pawl_status pawl_journal_sync(struct pawl_journal *journal, uint64_t number,
                              struct pawl_error *err) {
  pthread_mutex_lock(&journal->lock);
  while (journal->synced < number && !journal->broken) {
    if (journal->syncing) {
      pthread_cond_wait(&journal->synced_more, &journal->lock);
    } else {
      sync_all(journal);
    }
  }
  const bool done = journal->synced >= number;
  pthread_mutex_unlock(&journal->lock);
  return done ? PAWL_OK : fail_broken(journal, err);
}

pawl_status pawl_journal_replace(struct pawl_journal *journal, const struct pawl_text *lines,
                                 struct pawl_error *err) {
  pthread_mutex_lock(&journal->lock);
  while (journal->syncing) pthread_cond_wait(&journal->synced_more, &journal->lock);
  enum pawl_status_code status =
      pawl_file_write(journal->path, pawl_text_string(lines), lines->length, err);
  const int fd = status == PAWL_OK ? open(journal->path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
  if (fd >= 0) {
    pawl_close(&journal->fd);
    journal->fd = fd;
    journal->bytes = lines->length;
    journal->synced = journal->written;
    journal->broken = false;
  } else if (status == PAWL_OK) { /* records would go to the old file, which has no name any more */
    journal->broken = true;
    status = pawl_fail_errno(err, errno, "cannot open the journal '%s' again", journal->path);
  }
  pthread_cond_broadcast(&journal->synced_more);
  pthread_mutex_unlock(&journal->lock);
  return status;
}
