/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/driver.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "worker/surroundings.h"

#define MOST_NAMED 3 /* ignored paths in a message */

static size_t count_words(const char *const *argv) {
  size_t count = 0;
  while (argv && argv[count]) count++;
  return count;
}

const char *const *pawl_worker_wrap(struct pawl_worker *worker, const char *const *argv) {
  const char *const *wrapper = worker->options.wrapper;
  const size_t before = count_words(wrapper), words = count_words(argv);
  if (!before) return argv;
  const char **all = pawl_arena_alloc(&worker->arena, before + words + 1, sizeof *all);
  memcpy(all, wrapper, before * sizeof *all);
  memcpy(all + before, argv, words * sizeof *all);
  return all;
}

/* A failed start on a busy machine or a slow disk is not the fault of the code. */
double pawl_worker_start_limit(const struct pawl_worker *worker) {
  return fmax(worker->options.timeout_seconds, worker->options.start_seconds);
}

const char *pawl_worker_visible_gpu(struct pawl_worker *worker) {
  return worker->options.gpu
             ? pawl_arena_printf(&worker->arena, "CUDA_VISIBLE_DEVICES=%s", worker->options.gpu)
             : NULL;
}

void pawl_worker_add_gpu(struct pawl_worker *worker, const char **environment, size_t used) {
  const char *visible = pawl_worker_visible_gpu(worker);
  const int connections = worker->options.connections;
  if (visible) environment[used++] = visible;
  if (connections > 0 && !getenv(PAWL_CUDA_CONNECTIONS))
    environment[used++] =
        pawl_arena_printf(&worker->arena, PAWL_CUDA_CONNECTIONS "=%d", connections);
  environment[used] = NULL;
}

/* The names of the roles in the protocol and in messages, by enum pawl_worker_role. */
static const struct {
  const char *name, *title;
} roles[] = {{NULL, NULL},
             {"kernel", "kernel"},
             {"operator", "operator"},
             {"gpu_oracle", "the GPU oracle of"}};

const char *pawl_worker_role_name(enum pawl_worker_role role) { return roles[role].name; }

void pawl_worker_title(const struct pawl_worker *worker, struct pawl_text *out) {
  pawl_text_printf(out, "%s '%s'", roles[worker->options.role].title, worker->options.name);
}

/* Describes the request in words, because a reader does not know the protocol's methods. */
static const char *meanwhile(const char *method) {
  static const struct {
    const char *method, *words;
  } activities[] = {
      {"start", "while it started"},
      {"describe", "while it described itself"},
      {"tensors", "while it listed its tensors"},
      {"adjust", "while it adjusted the inputs"},
      {"oracle", "while it worked out the expected values"},
      {"prepare", "while it prepared a call"},
      {"run", "while pawl ran it"},
      {"time", "while pawl timed it"},
  };
  for (size_t i = 0; i < PAWL_COUNT(activities); i++)
    if (!strcmp(activities[i].method, method)) return activities[i].words;
  return "while it answered pawl";
}

void pawl_worker_add_ignored_words(const struct pawl_worker *worker, struct pawl_text *out) {
  if (!worker->seen || worker->options.driver == PAWL_DRIVER_COMMAND) return;
  const struct pawl_strings *ignored =
      &pawl_surroundings_files(worker->options.surroundings)->ignored;
  const size_t count = ignored->count;
  for (size_t i = 0; i < count && i < MOST_NAMED; i++)
    pawl_text_printf(out, "%s'%s'", i ? ", " : "; git ignores ", ignored->items[i]);
  if (count > MOST_NAMED) pawl_text_printf(out, " and %zu more", count - MOST_NAMED);
  if (count)
    pawl_text_add(out,
                  ", so neither version sees them; if it needs them, add them to git or to "
                  "`measure: {files: [...]}`");
}

enum pawl_status_code pawl_worker_terminate(struct pawl_worker *worker,
                                            enum pawl_worker_cause cause, const char *doing,
                                            struct pawl_error *err, const char *format, ...) {
  pawl_process_kill(&worker->process);
  pawl_log_tail_drain(&worker->log);
  worker->cause = cause;
  struct pawl_text message = {0}, last = {0};
  char what[512];
  va_list args;
  va_start(args, format);
  vsnprintf(what, sizeof what, format, args);
  va_end(args);
  pawl_worker_title(worker, &message);
  pawl_text_printf(&message, " %s", what);
  pawl_text_printf(&message, " %s", meanwhile(doing));
  pawl_log_tail_text(&worker->log, 3, " | ", &last);
  if (last.length > 600) /* the end says most */
    pawl_text_printf(&message, "; it printed last: ...%s", last.data + last.length - 600);
  else if (last.length)
    pawl_text_printf(&message, "; it printed last: %s", last.data);
  if (cause == PAWL_CAUSE_SIGNAL || cause == PAWL_CAUSE_EXIT)
    pawl_worker_add_ignored_words(worker, &message);
  pawl_fail(err, PAWL_FAILED, "%s", message.data);
  pawl_text_clear(&message);
  pawl_text_clear(&last);
  return PAWL_FAILED;
}

enum pawl_status_code pawl_worker_protocol_error(struct pawl_worker *worker, const char *method,
                                                 const char *what, struct pawl_error *err) {
  return pawl_worker_terminate(worker, PAWL_CAUSE_PROTOCOL, method, err,
                               "breaks the worker protocol: %s", what);
}
