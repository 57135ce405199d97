/* SPDX-License-Identifier: Apache-2.0 */
#include "tuning/builds.h"

#include <math.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/count.h"
#include "tune/space.h"

struct build {
  size_t index;
  const struct pawl_kernel_spec *spec;
  struct pawl_log *log;
  struct pawl_arena arena; /* holds the reason of a failure */
  bool done;
  struct pawl_tune_build out;
};

struct pawl_tune_builds {
  struct pawl_build_options options;
  double most_seconds; /* the time limit for the compiler of one configuration */
  struct pawl_jobs *jobs;
  pthread_t *threads;
  int thread_count;
  pthread_mutex_t mutex; /* guards the members below */
  pthread_cond_t changed;
  struct build **builds; /* in the order of the calls to add; an entry never moves */
  size_t count, capacity;
  size_t next; /* the next build to start */
  bool ending;
};

/* Returns whether the line quotes the code. It names a place ("a.c:3:2: error: ...", "a.cu(3):
 * error: ..."), or it is the source line below such a place. An assembler, or a compiler without
 * memory or disk space, names a place too, but as a fatal error. */
static bool quotes_code(const char *line, size_t length) {
  bool placed = *line == ' ', fatal = false;
  for (size_t i = 0; i + 1 < length; i++) {
    const size_t digits = strspn(line + i + 1, "0123456789");
    const char *after = line + i + 1 + digits;
    placed |= digits && ((line[i] == ':' && *after == ':') ||
                         (line[i] == '(' && pawl_starts_with(after, "):")));
    fatal |= pawl_starts_with(line + i, "atal error: ");
  }
  return placed && !fatal;
}

/* Returns whether pawl, the compiler driver or the system wrote `what` in its own words. */
static bool says(const char *words, const char *what) {
  for (const char *line = words; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    const size_t length = strcspn(line, "\n");
    const char *found = strstr(line, what);
    if (found && found < line + length && !quotes_code(line, length)) return true;
  }
  return false;
}

/* Returns whether the compiler refused the code. A compiler that was killed, or had no memory or
 * disk space, says nothing about the code, and may succeed alone. Only the words tell the two
 * apart: Ninja and the driver end with status 1 in both cases. */
static bool is_of_code(const char *words) {
  static const char *const others[] = {
      "Killed",          "killed by",        "signal terminated program",
      "with signal",     "due to signal",    "timed out",
      "out of memory",   "memory exhausted", "Cannot allocate memory",
      "No space left on"};
  for (size_t i = 0; i < PAWL_COUNT(others); i++)
    if (says(words, others[i])) return false;
  return strstr(words, "error") || strstr(words, "Error: "); /* the words of the assembler */
}

static void run(struct pawl_tune_builds *builds, struct build *build) {
  PAWL_CLEANUP(pawl_arena_clear) struct pawl_arena arena = {0};
  struct pawl_build_options options = builds->options;
  struct pawl_build_result result = {0};
  struct pawl_error err = {0};
  const char *diagnostics = NULL;
  const int64_t begin = pawl_clock_ns();
  const double paused = pawl_jobs_paused_seconds(builds->jobs);
  const bool bounded =
      build->index != PAWL_NO_CONFIGURATION && builds->most_seconds < options.timeout_seconds;
  if (bounded) options.timeout_seconds = builds->most_seconds;
  options.jobs = builds->jobs;
  options.log = build->log;
  const enum pawl_status_code status =
      pawl_build_kernel(build->spec, &options, &arena, &result, &diagnostics, &err);
  pthread_mutex_lock(&builds->mutex);
  build->out.seconds =
      fmax(pawl_seconds_since(begin) - pawl_jobs_paused_seconds(builds->jobs) + paused, 0);
  if (status == PAWL_FAILED && !builds->ending && is_of_code(diagnostics)) {
    build->out.failure = pawl_arena_copy(&build->arena, err.message);
    build->out.diagnostics = pawl_arena_copy(&build->arena, diagnostics);
  } else if (status == PAWL_FAILED && !builds->ending && bounded &&
             says(diagnostics, "timed out after")) {
    build->out.failure = pawl_arena_printf(&build->arena, "its compiler ran longer than %.0f s",
                                           builds->most_seconds);
    build->out.diagnostics = pawl_arena_copy(&build->arena, diagnostics);
  }
  build->done = true;
  pthread_cond_broadcast(&builds->changed);
  pthread_mutex_unlock(&builds->mutex);
}

static void *work(void *context) {
  struct pawl_tune_builds *builds = context;
  pthread_mutex_lock(&builds->mutex);
  while (!builds->ending) {
    if (builds->next == builds->count) {
      pthread_cond_wait(&builds->changed, &builds->mutex);
      continue;
    }
    struct build *build = builds->builds[builds->next++];
    pthread_mutex_unlock(&builds->mutex);
    run(builds, build);
    pthread_mutex_lock(&builds->mutex);
  }
  pthread_mutex_unlock(&builds->mutex);
  return NULL;
}

struct pawl_tune_builds *pawl_tune_builds_begin(const struct pawl_build_options *options,
                                                double most_seconds, int threads) {
  struct pawl_tune_builds *builds = pawl_alloc(1, sizeof *builds);
  pthread_condattr_t monotonic;
  builds->options = *options;
  builds->most_seconds = most_seconds;
  builds->jobs = pawl_jobs_new();
  builds->threads = pawl_alloc((size_t)threads, sizeof *builds->threads);
  pthread_mutex_init(&builds->mutex, NULL);
  pthread_condattr_init(&monotonic);
  pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
  pthread_cond_init(&builds->changed, &monotonic);
  pthread_condattr_destroy(&monotonic);
  while (builds->thread_count < threads &&
         !pthread_create(&builds->threads[builds->thread_count], NULL, work, builds))
    builds->thread_count++;
  return builds;
}

void pawl_tune_builds_end(struct pawl_tune_builds *builds) {
  if (!builds) return;
  pthread_mutex_lock(&builds->mutex);
  builds->ending = true;
  pthread_cond_broadcast(&builds->changed);
  pthread_mutex_unlock(&builds->mutex);
  pawl_jobs_stop(builds->jobs);
  for (int i = 0; i < builds->thread_count; i++) pthread_join(builds->threads[i], NULL);
  for (size_t i = 0; i < builds->count; i++) {
    pawl_arena_clear(&builds->builds[i]->arena);
    pawl_free(builds->builds[i]);
  }
  pawl_jobs_free(builds->jobs);
  pthread_cond_destroy(&builds->changed);
  pthread_mutex_destroy(&builds->mutex);
  pawl_free(builds->builds);
  pawl_free(builds->threads);
  pawl_free(builds);
}

/* The caller holds the mutex. */
static struct build *builds_find(const struct pawl_tune_builds *builds, size_t index) {
  for (size_t i = 0; i < builds->count; i++)
    if (builds->builds[i]->index == index) return builds->builds[i];
  return NULL;
}

void pawl_tune_builds_add(struct pawl_tune_builds *builds, size_t index,
                          const struct pawl_kernel_spec *spec, struct pawl_log *log) {
  pthread_mutex_lock(&builds->mutex);
  if (!builds_find(builds, index)) {
    struct build *build = pawl_alloc(1, sizeof *build);
    *build = (struct build){.index = index, .spec = spec, .log = log};
    builds->builds =
        pawl_grow(builds->builds, builds->count, &builds->capacity, sizeof *builds->builds);
    builds->builds[builds->count++] = build;
    pthread_cond_broadcast(&builds->changed);
  }
  pthread_mutex_unlock(&builds->mutex);
}

static struct timespec deadline_after(double seconds) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const int64_t ns = now.tv_nsec + (int64_t)(seconds * 1e9);
  return (struct timespec){.tv_sec = now.tv_sec + ns / 1000000000, .tv_nsec = ns % 1000000000};
}

/* The caller holds the mutex. If no thread could start, the caller of await makes the build. */
static bool builds_is_done(const struct pawl_tune_builds *builds, size_t index) {
  const struct build *build = builds_find(builds, index);
  PAWL_ASSERT(build);
  return build->done || !builds->thread_count;
}

bool pawl_tune_builds_is_done(struct pawl_tune_builds *builds, size_t index) {
  pthread_mutex_lock(&builds->mutex);
  const bool done = builds_is_done(builds, index);
  pthread_mutex_unlock(&builds->mutex);
  return done;
}

struct pawl_tune_build pawl_tune_builds_await(struct pawl_tune_builds *builds, size_t index) {
  pthread_mutex_lock(&builds->mutex);
  while (!builds_is_done(builds, index)) pthread_cond_wait(&builds->changed, &builds->mutex);
  const struct pawl_tune_build out = builds_find(builds, index)->out;
  pthread_mutex_unlock(&builds->mutex);
  return out;
}

bool pawl_tune_builds_await_any(struct pawl_tune_builds *builds, const size_t *indices,
                                size_t count, double seconds) {
  const struct timespec deadline = deadline_after(seconds);
  bool done = false, late = false;
  pthread_mutex_lock(&builds->mutex);
  for (;;) {
    for (size_t i = 0; i < count; i++) done = done || builds_is_done(builds, indices[i]);
    if (done || late) break;
    late = pthread_cond_timedwait(&builds->changed, &builds->mutex, &deadline) != 0;
  }
  pthread_mutex_unlock(&builds->mutex);
  return done;
}

struct pawl_jobs *pawl_tune_builds_jobs(struct pawl_tune_builds *builds) {
  return builds ? builds->jobs : NULL;
}
