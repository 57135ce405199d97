/* SPDX-License-Identifier: Apache-2.0 */
#include "fleet/beat.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"

#define BEAT_SECONDS 1
#define DIGITS 20

double pawl_beat_silence(struct pawl_beat_watch *watch) {
  PAWL_CLEANUP(pawl_close) int fd = open(watch->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  char text[DIGITS + 1] = "";
  if (!watch->seen_ns) watch->seen_ns = pawl_clock_ns();
  const ssize_t got = fd < 0 ? 0 : pread(fd, text, DIGITS, 0);
  const uint64_t now = got > 0 ? strtoull(text, NULL, 10) : watch->last;
  if (now != watch->last) watch->seen_ns = pawl_clock_ns();
  watch->last = now;
  return pawl_seconds_since(watch->seen_ns);
}

/* Closed each time: NFS sends what was written then. */
static void beat_once(const char *path, uint64_t number) {
  PAWL_CLEANUP(pawl_close) int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  char text[DIGITS + 1];
  snprintf(text, sizeof text, "%0*llu", DIGITS, (unsigned long long)number);
  if (fd < 0 || pwrite(fd, text, DIGITS, 0) < 0) return; /* who watches will miss it */
}

/* The first number is the time, so that a process in another's place does not repeat its numbers.
 */
static void *run(void *context) {
  struct pawl_beat *beat = context;
  uint64_t number = (uint64_t)time(NULL) << 20;
  pthread_mutex_lock(&beat->lock);
  while (!beat->ending) {
    struct timespec until;
    pthread_mutex_unlock(&beat->lock);
    beat_once(beat->path, ++number);
    if (beat->other.path && pawl_beat_silence(&beat->other) > beat->most_silence) beat->alone = 1;
    pthread_mutex_lock(&beat->lock);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += BEAT_SECONDS;
    if (!beat->ending) pthread_cond_timedwait(&beat->end, &beat->lock, &until);
  }
  pthread_mutex_unlock(&beat->lock);
  return NULL;
}

pawl_status pawl_beat_start(struct pawl_beat *beat, struct pawl_error *err) {
  sigset_t all, before; /* signals are for the first thread */
  pthread_mutex_init(&beat->lock, NULL);
  pthread_cond_init(&beat->end, NULL);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  beat->running = pthread_create(&beat->thread, NULL, run, beat) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return beat->running
             ? PAWL_OK
             : pawl_fail(err, PAWL_NO_MEMORY, "cannot start a thread for the heart-beats");
}

void pawl_beat_stop(struct pawl_beat *beat) {
  if (!beat || !beat->running) return;
  pthread_mutex_lock(&beat->lock);
  beat->ending = true;
  pthread_cond_signal(&beat->end);
  pthread_mutex_unlock(&beat->lock);
  pthread_join(beat->thread, NULL);
  pthread_mutex_destroy(&beat->lock);
  pthread_cond_destroy(&beat->end);
  beat->running = false;
}
