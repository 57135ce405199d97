/* SPDX-License-Identifier: Apache-2.0 */
#include "base/late_library.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pawl_status open_late_library(struct pawl_late_library *library, struct pawl_error *err) {
  void *handle = NULL;
  struct pawl_error why = {0};
  if (pawl_library_open("", library->file, "library", &handle, &why) != PAWL_OK)
    return pawl_fail(err, PAWL_UNAVAILABLE, "cannot open '%s': %s; install the package %s",
                     library->file, why.message, library->package);
  const char *missing = pawl_library_find(handle, library->functions, library->count);
  if (missing)
    return pawl_fail(err, PAWL_UNAVAILABLE,
                     "'%s' has no function '%s'; install a newer version of the package %s",
                     library->file, missing, library->package);
  return PAWL_OK;
}

pawl_status pawl_late_library_open(struct pawl_late_library *library, struct pawl_error *err) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  if (library->open) return PAWL_OK;
  pthread_mutex_lock(&lock);
  const enum pawl_status_code status = library->open ? PAWL_OK : open_late_library(library, err);
  library->open = status == PAWL_OK;
  pthread_mutex_unlock(&lock);
  return status;
}

void pawl_late_library_require(struct pawl_late_library *library) {
  struct pawl_error err = {0};
  const enum pawl_status_code status = pawl_late_library_open(library, &err);
  if (status == PAWL_OK) return;
  fprintf(stderr, "pawl: %s\n", err.message);
  exit((int)status);
}
