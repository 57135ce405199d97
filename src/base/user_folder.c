/* SPDX-License-Identifier: Apache-2.0 */
#include "base/user_folder.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/memory.h"

char *pawl_user_folder(const char *variable, const char *by_default) {
  const char *given = getenv(variable), *home = getenv("HOME");
  if (given && *given == '/')
    return pawl_path_join(given, "pawl"); /* the XDG specification ignores a relative path */
  if (!home || *home != '/') return NULL;
  PAWL_CLEANUP(pawl_free_pointer) char *above = pawl_path_join(home, by_default);
  return pawl_path_join(above, "pawl");
}
