/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/heartbeat.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

#define HEARTBEAT_SECONDS 1
#define DIGITS 20
#define MOST_NAME ((size_t)64)

double pawl_heartbeat_silence(struct pawl_heartbeat_watch *watch) {
  PAWL_CLEANUP(pawl_close) int fd = open(watch->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  char text[DIGITS + 1] = "";
  if (!watch->seen_ns) watch->seen_ns = pawl_clock_ns();
  const ssize_t got = fd < 0 ? 0 : pread(fd, text, DIGITS, 0);
  const uint64_t now = got > 0 ? strtoull(text, NULL, 10) : watch->last;
  if (now != watch->last) watch->seen_ns = pawl_clock_ns();
  watch->last = now;
  return pawl_seconds_since(watch->seen_ns);
}

/* Closes the file each time, because NFS sends the data at that moment. */
static void heartbeat_once(const char *path, uint64_t number) {
  PAWL_CLEANUP(pawl_close) int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  char text[DIGITS + 1];
  snprintf(text, sizeof text, "%0*llu", DIGITS, (unsigned long long)number);
  if (fd < 0 || pwrite(fd, text, DIGITS, 0) < 0) return; /* the watcher notices the silence */
}

bool pawl_heartbeat_has_place(const char *place, const char *name) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  struct pawl_error ignored;
  if (pawl_file_read(place, MOST_NAME, &text, &ignored) != PAWL_OK) return true;
  return pawl_text_equal(pawl_text_string(&text), name);
}

/* The first number is the time, so a process that replaces another does not repeat its numbers. */
static void *run(void *context) {
  struct pawl_heartbeat *heartbeat = context;
  uint64_t number = (uint64_t)time(NULL) << 20;
  pthread_mutex_lock(&heartbeat->lock);
  while (!heartbeat->ending) {
    struct timespec until;
    pthread_mutex_unlock(&heartbeat->lock);
    const bool replaced =
        heartbeat->place && !pawl_heartbeat_has_place(heartbeat->place, heartbeat->name);
    if (!replaced) heartbeat_once(heartbeat->path, ++number);
    if (replaced || (heartbeat->other.path &&
                     pawl_heartbeat_silence(&heartbeat->other) > heartbeat->most_silence))
      heartbeat->alone = 1;
    pthread_mutex_lock(&heartbeat->lock);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += HEARTBEAT_SECONDS;
    if (!heartbeat->ending) pthread_cond_timedwait(&heartbeat->end, &heartbeat->lock, &until);
  }
  pthread_mutex_unlock(&heartbeat->lock);
  return NULL;
}

pawl_status pawl_heartbeat_start(struct pawl_heartbeat *heartbeat, struct pawl_error *err) {
  sigset_t all, before; /* signals are for the first thread */
  pthread_mutex_init(&heartbeat->lock, NULL);
  pthread_cond_init(&heartbeat->end, NULL);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  heartbeat->running = pthread_create(&heartbeat->thread, NULL, run, heartbeat) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return heartbeat->running
             ? PAWL_OK
             : pawl_fail(err, PAWL_NO_MEMORY, "cannot start a thread for the heartbeats");
}

void pawl_heartbeat_stop(struct pawl_heartbeat *heartbeat) {
  if (!heartbeat || !heartbeat->running) return;
  pthread_mutex_lock(&heartbeat->lock);
  heartbeat->ending = true;
  pthread_cond_signal(&heartbeat->end);
  pthread_mutex_unlock(&heartbeat->lock);
  pthread_join(heartbeat->thread, NULL);
  pthread_mutex_destroy(&heartbeat->lock);
  pthread_cond_destroy(&heartbeat->end);
  heartbeat->running = false;
}
