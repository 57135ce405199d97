/* SPDX-License-Identifier: Apache-2.0 */
/* Reads pawl-wake.yaml: the trusted hooks, the machines and their commands. It is a file of its
 * own, because it lies on the machine that wakes others, beside no repository. It names secrets but
 * never contains them. */
#pragma once

#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/secret.h"
#include "base/strings.h"
#include "serve/machine.h"

struct pawl_wake_machine_spec {
  const char *name;
  struct pawl_strings labels;      /* its runner's */
  struct pawl_strings start, stop; /* argv; without a stop command the machine turns itself off */
  struct pawl_strings pass; /* variables that the commands get although they look like secrets */
  double command_timeout;   /* seconds */
  struct pawl_machine_policy policy;
};

struct pawl_wake_config {
  const char *listen;               /* "127.0.0.1:8787" */
  struct pawl_secret_source secret; /* the webhook's */
  struct pawl_secret_source token;  /* for polling; absent: no polling */
  const char *api_url;              /* NULL: $GITHUB_API_URL, else https://api.github.com */
  const char *state;                /* folder of the queue */
  /* "owner/name", or "owner" followed by a slash and an asterisk */
  struct pawl_strings repositories;
  double poll;          /* seconds between two polls; 0: none */
  double job_age;       /* seconds: pawl ignores a queued job that is older */
  double replay_window; /* seconds for which pawl remembers a delivery */
  uint64_t body_limit;  /* bytes */
  double rate;          /* requests a second from one address */
  struct pawl_wake_machine_spec *machines;
  size_t machine_count;
  /* certificates of the authorities, from the command line; NULL: pawl_trust_file() */
  const char *ca_file;
};

/* Everything lives in the arena. The start and stop commands run in the file's folder, where its
 * relative paths start too. Fails with PAWL_NO_INPUT, or with PAWL_CONFIG: "pawl-wake.yaml:3:1:
 * unknown key ...". */
pawl_status pawl_wake_config_read(const char *path, struct pawl_arena *arena,
                                  struct pawl_wake_config *out, struct pawl_error *err);
pawl_status pawl_wake_config_parse(const char *text, size_t length, const char *path,
                                   struct pawl_arena *arena, struct pawl_wake_config *out,
                                   struct pawl_error *err);

/* Returns whether the text is an "owner/name" that needs no escape in a path of the API. */
bool pawl_wake_config_is_repository(const char *text);

/* Returns whether the configuration names the repository. Case does not count, as on GitHub. */
bool pawl_wake_config_has(const struct pawl_wake_config *config, const char *repository);

/* Returns the first machine that has all labels of the job, as GitHub chooses runners. Case does
 * not count. Returns -1 if there is none or the job has no labels. */
int pawl_wake_config_match(const struct pawl_wake_config *config, const char *const *labels,
                           size_t count);

/* Finds a machine. PAWL_USAGE names the machine with the nearest name. */
pawl_status pawl_wake_config_machine(const struct pawl_wake_config *config, const char *name,
                                     int *out, struct pawl_error *err);
