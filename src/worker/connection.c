/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to a process that speaks the protocol, and its answers. Each wait has a limit. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/budget.h"
#include "base/clock.h"
#include "base/count.h"
#include "base/file.h"
#include "worker/deadline.h"
#include "worker/driver.h"
#include "worker/memory_limit.h"

#define DYING_SECONDS 2.0
#define HASTY_SECONDS 0.1 /* after the end of the budget */
/* A profiler writes its report after the process has ended. */
#define WRAPPED_SECONDS 60.0

/* The process closed its end or died. Finds out which one, and why. */
static enum pawl_status_code post_mortem(struct pawl_worker *worker, const char *doing,
                                         struct pawl_error *err) {
  const uint64_t limit = worker->options.memory_limit;
  struct pawl_exit ended;
  PAWL_TRY(pawl_process_wait(&worker->process, DYING_SECONDS, &ended, err));
  if (ended.timed_out)
    return pawl_worker_terminate(worker, PAWL_CAUSE_PROTOCOL, doing, err,
                                 "closed its connection to pawl but did not exit");
  const uint64_t resident = ended.peak_bytes, shared = pawl_memory_shared_bytes(worker);
  const bool was_full = limit && resident > shared && resident - shared > limit - limit / 10;
  const bool plugin = worker->options.driver == PAWL_DRIVER_PLUGIN;
  if (ended.events.refused) return pawl_processes_exhausted(worker, doing, err);
  if (was_full || ended.events.killed || (plugin && ended.status == PAWL_NO_MEMORY))
    return pawl_memory_exhausted(worker, doing, err);
  if (ended.signal == SIGKILL && pawl_memory_oom_kills() != worker->oom_kills)
    return pawl_worker_terminate(worker, PAWL_CAUSE_MEMORY, doing, err,
                                 "was killed by SIGKILL when the machine ran out of memory");
  if (plugin && ended.status == PAWL_PROTOCOL)
    return pawl_worker_terminate(
        worker, PAWL_CAUSE_EXIT, doing, err,
        "cut its connection to pawl; does it close descriptors that it did not open?");
  struct pawl_text how = {0};
  pawl_exit_describe(&ended, &how);
  const enum pawl_worker_cause cause = ended.signal ? PAWL_CAUSE_SIGNAL : PAWL_CAUSE_EXIT;
  if (ended.signal == SIGSYS)
    pawl_text_printf(&how, ": it sent a signal to pawl's process, traced it or read its memory");
  else if (!ended.signal)
    pawl_text_printf(&how, " before it answered");
  pawl_worker_terminate(worker, cause, doing, err, "%s", pawl_text_string(&how));
  pawl_text_clear(&how);
  return PAWL_FAILED;
}

/* The bytes to send, and how many are sent. */
struct outgoing {
  const char *data;
  size_t length, sent;
};

/* Sends as much as possible. PAWL_TRY_AGAIN: some bytes remain. */
static pawl_status send_some(struct pawl_worker *worker, struct outgoing *out) {
  while (out->sent < out->length) {
    const ssize_t n = send(worker->request_fd, out->data + out->sent, out->length - out->sent,
                           MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN ? PAWL_TRY_AGAIN : PAWL_PROTOCOL;
    out->sent += (size_t)n;
  }
  return PAWL_OK;
}

/* Reads a part of the reply. PAWL_TRY_AGAIN: it is incomplete. */
static pawl_status receive_some(struct pawl_worker *worker, const char *doing,
                                struct pawl_error *err) {
  char what[96];
  switch (pawl_frame_receive(&worker->frame, worker->reply_fd)) {
    case PAWL_FRAME_READY: return PAWL_OK;
    case PAWL_FRAME_PARTIAL: return PAWL_TRY_AGAIN;
    case PAWL_FRAME_CLOSED: return post_mortem(worker, doing, err);
    case PAWL_FRAME_TOO_LONG:
      snprintf(what, sizeof what, "a frame of %zu bytes; at most %zu are allowed",
               worker->frame.length, PAWL_FRAME_LIMIT);
      return pawl_worker_protocol_error(worker, doing, what, err);
    case PAWL_FRAME_BROKEN:
    default: return pawl_fail_errno(err, errno, "cannot read from the worker");
  }
}

/* Returns whether SIGSTOP has stopped the process. */
static bool is_stopped(const struct pawl_worker *worker) {
  siginfo_t info = {0};
  const int flags = WSTOPPED | WNOHANG | WNOWAIT;
  return waitid(P_PID, (id_t)worker->process.pid, &info, flags) == 0 &&
         info.si_pid == worker->process.pid;
}

static double limit_of(const struct pawl_worker *worker, const char *doing) {
  const bool starts = !strcmp(doing, "start") || !strcmp(doing, "prepare");
  return starts ? pawl_worker_start_limit(worker)
                : worker->options.timeout_seconds + worker->pause_seconds;
}

/* Ends the process, because the command may take no more time. */
static pawl_status end_by_budget(struct pawl_worker *worker, const char *doing,
                                 struct pawl_error *err) {
  pawl_worker_terminate(worker, PAWL_CAUSE_TIMEOUT, doing, err, "was ended");
  return pawl_budget_need(err);
}

/* Sends `out` and waits for a whole frame in worker->frame. */
static pawl_status exchange(struct pawl_worker *worker, struct outgoing *out, const char *doing,
                            struct pawl_error *err) {
  const double timeout = limit_of(worker, doing);
  struct pawl_deadline deadline = pawl_deadline_begin(worker, timeout);
  for (;;) {
    if (pawl_budget_is_over()) return end_by_budget(worker, doing, err);
    const int64_t left = pawl_deadline_left(&deadline);
    if (left == 0)
      return pawl_worker_terminate(worker, PAWL_CAUSE_TIMEOUT, doing, err,
                                   "timed out after %.3g s%s%s", timeout,
                                   worker->frame.received ? " in the middle of an answer" : "",
                                   is_stopped(worker) ? "; a signal had stopped it" : "");
    const bool unsent = out->sent < out->length;
    struct pollfd polls[] = {{.fd = worker->reply_fd, .events = POLLIN},
                             {.fd = worker->log.fd, .events = POLLIN},
                             {.fd = unsent ? worker->request_fd : -1, .events = POLLOUT},
                             {.fd = worker->pid_fd, .events = POLLIN}};
    const int64_t nap = left < PAWL_MEMORY_WATCH_NS ? left : PAWL_MEMORY_WATCH_NS;
    const int ready = poll(polls, PAWL_COUNT(polls), (int)(nap / 1000000) + 1);
    if (ready < 0 && errno != EINTR)
      return pawl_fail_errno(err, errno, "cannot wait for the worker");
    if (ready > 0 && polls[1].revents) pawl_log_tail_drain(&worker->log);
    if (ready > 0 && polls[2].revents && send_some(worker, out) == PAWL_PROTOCOL)
      return post_mortem(worker, doing, err);
    if (ready > 0 && polls[0].revents) {
      const enum pawl_status_code status = receive_some(worker, doing, err);
      if (status != PAWL_TRY_AGAIN) return status;
    } else if (ready > 0 && polls[3].revents) {
      /* it is dead, but a process that it started holds the pipe open */
      return post_mortem(worker, doing, err);
    }
    PAWL_TRY(pawl_memory_watch(worker, doing, err));
  }
}

/* Parses the received frame and clears it. */
static pawl_status take_frame(struct pawl_worker *worker, const char *doing, json_t **out,
                              struct pawl_error *err) {
  struct pawl_error syntax = {0};
  json_t *value = NULL;
  const enum pawl_status_code status =
      pawl_json_parse(worker->frame.body, worker->frame.length, "answer", false, &value, &syntax);
  pawl_frame_clear(&worker->frame);
  if (status != PAWL_OK) return pawl_worker_protocol_error(worker, doing, syntax.message, err);
  if (!json_is_object(value)) {
    json_decref(value);
    return pawl_worker_protocol_error(worker, doing, "an answer that is not a JSON object", err);
  }
  *out = value;
  return PAWL_OK;
}

/* Handles an answer that is an error. */
static enum pawl_status_code reported(struct pawl_worker *worker, const char *doing,
                                      const json_t *error, struct pawl_error *err) {
  const char *kind = json_string_value(json_object_get(error, "kind"));
  const char *message = json_string_value(json_object_get(error, "message"));
  if (!kind || !message)
    return pawl_worker_protocol_error(worker, doing, "an error without kind and message", err);
  static const char *const kinds[] = {"unsupported", "invalid", "failed"};
  worker->error_kind = kinds[2];
  for (size_t i = 0; i < PAWL_COUNT(kinds); i++) {
    if (!strcmp(kind, kinds[i])) worker->error_kind = kinds[i];
  }
  worker->cause = PAWL_CAUSE_REPORTED;
  struct pawl_text title = {0};
  pawl_worker_title(worker, &title);
  const enum pawl_status_code status =
      worker->error_kind == kinds[0] ? PAWL_UNDECIDED : PAWL_FAILED;
  pawl_text_printf(&title, ": %.900s", message);
  if (status == PAWL_FAILED) pawl_worker_add_ignored_words(worker, &title);
  pawl_fail(err, status, "%s", pawl_text_string(&title));
  pawl_text_clear(&title);
  return status;
}

static pawl_status check_hello(struct pawl_worker *worker, const json_t *hello,
                               struct pawl_error *err) {
  const json_t *error = json_object_get(hello, "error");
  if (error) {
    const enum pawl_status_code status = reported(worker, "start", error, err);
    if (status != PAWL_UNDECIDED) return status;
    /* this machine lacks a device or a library that it needs */
    if (err) err->code = PAWL_UNAVAILABLE;
    return PAWL_UNAVAILABLE;
  }
  const json_t *version = json_object_get(hello, "pawl");
  const char *role = json_string_value(json_object_get(hello, "role"));
  if (!json_is_integer(version))
    return pawl_worker_protocol_error(worker, "start", "no hello with a version as the first frame",
                                      err);
  if (json_integer_value(version) != PAWL_PROTOCOL_VERSION)
    return pawl_worker_protocol_error(worker, "start", "an unknown version of the protocol", err);
  if (!role || strcmp(role, pawl_worker_role_name(worker->options.role)) != 0)
    return pawl_worker_protocol_error(worker, "start", "a hello with the wrong role", err);
  const json_t *capabilities = json_object_get(hello, "capabilities");
  for (size_t i = 0; i < json_array_size(capabilities); i++) {
    const char *capability = json_string_value(json_array_get(capabilities, i));
    if (capability && !strcmp(capability, "delay")) worker->can_delay = true;
    if (capability && !strcmp(capability, "stamps")) worker->stamps = true;
    if (capability && !strcmp(capability, "late")) worker->late = true;
    if (capability && !strcmp(capability, "unseen")) worker->unseen = true;
    if (capability && !strcmp(capability, "given")) worker->given = true;
  }
  return PAWL_OK;
}

pawl_status pawl_connection_greet(struct pawl_worker *worker, struct pawl_error *err) {
  struct outgoing nothing = {0};
  PAWL_TRY(exchange(worker, &nothing, "start", err));
  json_t *hello = NULL;
  PAWL_TRY(take_frame(worker, "start", &hello, err));
  const enum pawl_status_code status = check_hello(worker, hello, err);
  json_decref(hello);
  return status;
}

/* Returns the result of the answer to request `id`, a new reference. */
static pawl_status take_answer(struct pawl_worker *worker, const char *method, json_t **result,
                               struct pawl_error *err) {
  json_t *answer = NULL;
  PAWL_TRY(take_frame(worker, method, &answer, err));
  const json_t *id = json_object_get(answer, "id"), *error = json_object_get(answer, "error");
  json_t *value = json_object_get(answer, "result");
  enum pawl_status_code status = PAWL_OK;
  if (!json_is_integer(id) || json_integer_value(id) != worker->last_id)
    status = pawl_worker_protocol_error(worker, method, "an answer to another request", err);
  else if (error)
    status = reported(worker, method, error, err);
  else if (!json_is_object(value))
    status = pawl_worker_protocol_error(worker, method, "an answer without a result object", err);
  else
    *result = json_incref(value);
  json_decref(answer);
  return status;
}

pawl_status pawl_connection_call(struct pawl_worker *worker, const char *method,
                                 const json_t *params, json_t **result, struct pawl_error *err) {
  PAWL_TRY(pawl_budget_need(err));
  if (worker->process.pid <= 0)
    return pawl_worker_terminate(worker, worker->cause, method, err, "has already ended");
  pawl_memory_limit_address_space(worker);
  pawl_cgroup_bound_memory(&worker->process.group, pawl_memory_of_group(worker));
  json_t *request = json_object();
  pawl_json_set_int(request, "id", ++worker->last_id);
  pawl_json_set_string(request, "method", method);
  pawl_json_set(request, "params", params ? json_deep_copy(params) : json_object());
  struct pawl_text bytes = {0};
  enum pawl_status_code status = pawl_frame_encode(request, &bytes, err);
  json_decref(request);
  struct outgoing out = {.data = bytes.data, .length = bytes.length};
  if (status == PAWL_OK) status = exchange(worker, &out, method, err);
  pawl_text_clear(&bytes);
  if (status != PAWL_OK) return status;
  return take_answer(worker, method, result, err);
}

void pawl_connection_dismiss(struct pawl_worker *worker) {
  if (worker->dismissed || worker->process.pid <= 0 || worker->pid_fd < 0 || worker->request_fd < 0)
    return;
  json_t *request = json_pack("{s:I, s:s, s:{}}", "id", (json_int_t)++worker->last_id, "method",
                              "quit", "params");
  struct pawl_text bytes = {0};
  if (pawl_frame_encode(request, &bytes, NULL) != PAWL_OK) pawl_text_clear(&bytes);
  json_decref(request);
  struct outgoing out = {.data = bytes.data, .length = bytes.length};
  worker->dismissed = send_some(worker, &out) == PAWL_OK;
  pawl_text_clear(&bytes);
}

/* Waits until a process that was asked to quit has ended, and reads its log so that a full pipe
 * does not block it. Returns false if it has not ended in time. */
static bool await_end(struct pawl_worker *worker, double seconds) {
  const int64_t deadline = pawl_clock_ns() + (int64_t)(seconds * 1e9);
  for (;;) {
    const int64_t left = deadline - pawl_clock_ns();
    struct pollfd polls[] = {{.fd = worker->pid_fd, .events = POLLIN},
                             {.fd = worker->log.fd, .events = POLLIN}};
    if (left <= 0 || (poll(polls, 2, (int)(left / 1000000) + 1) < 0 && errno != EINTR))
      return false;
    if (polls[1].revents) pawl_log_tail_drain(&worker->log);
    if (polls[0].revents) return true;
  }
}

static void warn_of_lingering(struct pawl_worker *worker, double seconds) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text title = {0};
  bool *told = worker->options.lingered;
  if (told && *told) return;
  if (told) *told = true;
  pawl_worker_title(worker, &title);
  pawl_log_warning(worker->options.log,
                   "%s did not exit within %.0f s after pawl asked it to quit, so pawl killed it; "
                   "does a destructor or a function of atexit() wait?",
                   pawl_text_string(&title), seconds);
}

void pawl_connection_stop(struct pawl_worker *worker) {
  const bool over = pawl_budget_is_over();
  const double seconds = over                      ? HASTY_SECONDS
                         : worker->options.wrapper ? WRAPPED_SECONDS
                                                   : DYING_SECONDS;
  pawl_connection_dismiss(worker);
  if (worker->dismissed && !await_end(worker, seconds) && !over) warn_of_lingering(worker, seconds);
  pawl_process_kill(&worker->process);
  pawl_frame_clear(&worker->frame);
  pawl_close(&worker->request_fd);
  pawl_close(&worker->reply_fd);
  pawl_close(&worker->pid_fd);
}
