/* SPDX-License-Identifier: Apache-2.0 */
/* pawl.yaml as a struct, every value checked and every default filled in. */
#ifndef PAWL_SUITE_SUITE_H
#define PAWL_SUITE_SUITE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/secret.h"
#include "model/case.h"

struct pawl_strings {
  const char **items; /* count of them and a NULL, so that a command's items are an argv; NULL: key not given */
  size_t count;
};

/* NAME=VALUE; values are kept as text: BLOCK_M=64, or a C token. */
struct pawl_param_value {
  const char *name, *value;
};

struct pawl_tune_dimension {
  const char *name;
  struct pawl_strings values;
};

/* One way to get from files to something that runs; exactly one of sources, build, protocol, command is set. */
enum pawl_source_kind { PAWL_FROM_SOURCES = 1, PAWL_FROM_BUILD, PAWL_FROM_PROTOCOL, PAWL_FROM_COMMAND };

struct pawl_kernel_spec {
  const char *name;
  const char *operator_name; /* NULL for a command */
  int32_t device;            /* enum pawl_device_kind */
  bool reference;            /* listed under references: measured beside the kernels, never gated */
  bool optional;             /* what it needs may be missing: then it is absent, with the reason */
  int deterministic;         /* overrides what the kernel says of itself: 0, 1; -1: not given */
  enum pawl_source_kind kind;
  struct pawl_strings sources, include_dirs, flags, libs;
  bool flags_given;                      /* even an empty list; else the default flags */
  const char *compiler;                  /* NULL: cc / c++ / nvcc by the sources' endings */
  struct pawl_strings build_command;     /* PAWL_FROM_BUILD */
  const char *build_output;              /* the plug-in it makes, relative to the suite's folder */
  struct pawl_strings protocol, command; /* PAWL_FROM_PROTOCOL, PAWL_FROM_COMMAND */
  const char *parse;                     /* importer that reads a command's output; "wall": time the command */
  struct pawl_param_value *params;       /* -D, in order */
  size_t param_count;
  struct pawl_tune_dimension *tune;
  size_t tune_count;
  struct pawl_strings constraints;
  int line; /* of pawl.yaml, for messages */
};

/* A user's operator; shipped ones need no entry. */
struct pawl_operator_spec {
  const char *name;
  enum pawl_source_kind kind; /* SOURCES, BUILD or PROTOCOL */
  struct pawl_strings sources, include_dirs, flags, libs, build_command, protocol;
  bool flags_given;
  const char *build_output;
  struct pawl_operator_spec *gpu_oracle; /* its GPU oracle, SOURCES or BUILD; NULL: none */
  int line;
};

struct pawl_axis {
  const char *name;
  int64_t *values;
  size_t count;
};

/* check.<operator>: a matrix of shapes. atol and the like override the operator's tolerance; NaN: not given. */
struct pawl_check_spec {
  const char *operator_name;
  struct pawl_axis *axes;
  size_t axis_count;
  int32_t *dtypes; /* none: the dtypes of the cases timed */
  size_t dtype_count;
  double atol, rtol, rel_rms;
  const char *oracle; /* "builtin", "cpu" or "reference NAME" */
};

enum pawl_cache_mode { PAWL_CACHE_COLD = 1, PAWL_CACHE_WARM };
enum pawl_clock_mode { PAWL_CLOCKS_FREE = 1, PAWL_CLOCKS_LOCK }; /* lock: hold a GPU's clock at its base value */

struct pawl_measure_spec {
  int warmup, samples, processes; /* 20, 100, 4 */
  enum pawl_cache_mode cache;
  enum pawl_clock_mode clocks;
  double timeout_seconds; /* of one request; 60 */
  uint64_t memory_limit;  /* bytes a worker may use on top of its tensors; 0: three quarters of the machine */
};

enum pawl_inconclusive { PAWL_INCONCLUSIVE_WARN = 1, PAWL_INCONCLUSIVE_FAIL };

/* Fractions: tolerate 0.01 is 1 %. */
struct pawl_gate_spec {
  double tolerate, detect, improve, false_alarm, miss;
  int max_blocks;
  enum pawl_inconclusive inconclusive;
};

struct pawl_profile_spec {
  bool regression;
  double improvement_over; /* fraction */
};

/* An e-mail about a verdict that turned. */
struct pawl_email_spec {
  const char *server; /* "smtps://HOST:PORT", or "smtp://HOST:PORT", which must offer STARTTLS */
  const char *from;
  struct pawl_strings to;
  const char *user;                   /* NULL: no log-in */
  struct pawl_secret_source password; /* given with `user` */
};

enum pawl_chat_service { PAWL_CHAT_SLACK = 1, PAWL_CHAT_DISCORD, PAWL_CHAT_TEAMS, PAWL_CHAT_JSON };

/* A webhook that is told. Its address lets anybody write there, and so is a secret. */
struct pawl_webhook_spec {
  const char *name;
  enum pawl_chat_service service;
  struct pawl_secret_source url;
};

struct pawl_notify_spec {
  const char *link;             /* NULL: the workflow's run, where there is one */
  struct pawl_email_spec email; /* server NULL: none */
  struct pawl_webhook_spec *webhooks;
  size_t webhook_count;
};

struct pawl_suite {
  const char *path;                 /* of pawl.yaml, as given */
  const char *folder;               /* absolute folder of it: relative paths start here */
  struct pawl_kernel_spec *kernels; /* kernels, then references */
  size_t kernel_count;
  struct pawl_operator_spec *operators;
  size_t operator_count;
  struct pawl_case *cases;
  size_t case_count;
  struct pawl_check_spec *checks;
  size_t check_count;
  struct pawl_measure_spec measure;
  struct pawl_gate_spec gate;
  struct pawl_profile_spec profile;
  const char *store;
  double usd_per_hour; /* NaN: not given */
  struct pawl_notify_spec notify;
};

/* Everything lives in the arena. PAWL_CONFIG "pawl.yaml:12:5: unknown key 'sorces' in kernel 'fa'; did you mean
   'sources'?", PAWL_NO_INPUT when there is no such file. */
pawl_status pawl_suite_read(const char *path, struct pawl_arena *arena, struct pawl_suite *out, struct pawl_error *err);
/* The same from memory, for tests and fuzzing; `path` is for messages. */
pawl_status pawl_suite_parse(const char *text, size_t length, const char *path, struct pawl_arena *arena,
                             struct pawl_suite *out, struct pawl_error *err);

/* NULL when there is none. */
const struct pawl_kernel_spec *pawl_suite_kernel(const struct pawl_suite *suite, const char *name);
const struct pawl_case *pawl_suite_case(const struct pawl_suite *suite, const char *name);
const struct pawl_check_spec *pawl_suite_check(const struct pawl_suite *suite, const char *operator_name);
const struct pawl_operator_spec *pawl_suite_operator(const struct pawl_suite *suite, const char *name);

#endif
