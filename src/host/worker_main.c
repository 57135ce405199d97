/* SPDX-License-Identifier: Apache-2.0 */
/* pawl-worker ROLE PLUGIN.so loads code under test or an operator, and answers requests
   (docs/protocol.md). pawl starts it. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "host/crash.h"
#include "host/role.h"
#include "host/thread_placement.h"
#include "protocol/frame.h"

static const struct host_role *const roles[] = {&host_kernel_role, &host_operator_role,
                                                &host_gpu_oracle_role};

static const struct host_role *find_role(const char *name) {
  for (size_t i = 0; i < PAWL_COUNT(roles); i++) {
    if (!strcmp(roles[i]->name, name)) return roles[i];
  }
  return NULL;
}

static json_t *hello(const struct host_role *role) {
  json_t *frame = json_object(), *capabilities = json_array();
  for (const char *const *c = role->capabilities; *c; c++)
    json_array_append_new(capabilities, json_string(*c));
  pawl_json_set_int(frame, "pawl", PAWL_PROTOCOL_VERSION);
  pawl_json_set_string(frame, "role", role->name);
  pawl_json_set(frame, "capabilities", capabilities);
  return frame;
}

static void set_error(json_t *reply, const struct pawl_error *error) {
  const enum pawl_status_code code = error->code;
  const char *kind = code == PAWL_UNDECIDED                         ? "unsupported"
                     : code == PAWL_CONFIG || code == PAWL_BAD_DATA ? "invalid"
                                                                    : "failed";
  json_t *object = json_object();
  pawl_json_set_string(object, "kind", kind);
  pawl_json_set_string(object, "message", error->message);
  pawl_json_set(reply, "error", object);
}

static pawl_status dispatch(const struct host_role *role, void *state, const char *method,
                            const json_t *params, json_t **result, struct pawl_error *err) {
  for (const struct host_method_row *row = role->methods; row->name; row++) {
    if (!strcmp(row->name, method)) return row->answer(state, params, result, err);
  }
  return pawl_fail(err, PAWL_UNDECIDED, "no method '%s' in the role '%s'", method, role->name);
}

/* Answers requests until pawl asks it to quit or closes the connection. */
static pawl_status serve(const struct host_role *role, void *state, struct host_channel *channel,
                         struct pawl_error *err) {
  for (;;) {
    PAWL_CLEANUP(pawl_json_release) json_t *request = NULL;
    PAWL_TRY(host_channel_receive(channel, &request, err));
    if (!request) return PAWL_OK;
    const char *method = json_string_value(json_object_get(request, "method"));
    if (method && !strcmp(method, "quit")) return PAWL_OK;
    json_t *reply = json_object(), *result = NULL;
    json_t *id = json_object_get(request, "id");
    pawl_json_set(reply, "id", id ? json_incref(id) : NULL);
    struct pawl_error error = {0};
    if (dispatch(role, state, method ? method : "", json_object_get(request, "params"), &result,
                 &error) == PAWL_OK)
      pawl_json_set(reply, "result", result);
    else
      set_error(reply, &error);
    /* so that the plug-in's output precedes later output */
    fflush(NULL);
    PAWL_TRY(host_channel_send(channel, reply, err));
  }
}

static int worker_main_fail(const struct pawl_error *error) {
  fprintf(stderr, "pawl-worker: %s\n", error->message);
  return (int)error->code;
}

int main(int argc, char **argv) {
  struct pawl_error error = {0};
  const struct host_role *role = argc == 3 ? find_role(argv[1]) : NULL;
  if (!role) {
    fputs("usage: pawl-worker kernel|operator PLUGIN.so (pawl starts it; see docs/protocol.md)\n",
          stderr);
    return PAWL_USAGE;
  }
  struct host_channel channel;
  if (host_channel_open(&channel, &error) != PAWL_OK) return worker_main_fail(&error);
  signal(SIGPIPE, SIG_IGN); /* if pawl has ended, the write fails and we end */
  /* so that the output of a kernel before a crash is not lost */
  setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
  host_crash_notes();
  host_threads_place(getenv("PAWL_THREAD_CPUS"));
  void *state = NULL;
  if (role->open(argv[2], &channel, &state, &error) != PAWL_OK) {
    json_t *refusal = json_object();
    set_error(refusal, &error);
    if (host_channel_send(&channel, refusal, &error) != PAWL_OK) return worker_main_fail(&error);
    return EXIT_SUCCESS;
  }
  enum pawl_status_code status = host_channel_send(&channel, hello(role), &error);
  if (status == PAWL_OK) status = serve(role, state, &channel, &error);
  role->close(state);
  return status == PAWL_OK ? EXIT_SUCCESS : worker_main_fail(&error);
}
