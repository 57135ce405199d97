/* SPDX-License-Identifier: Apache-2.0 */
#include "worker/surroundings.h"

const struct pawl_tree_files *pawl_surroundings_files(const struct pawl_surroundings *around) {
  struct pawl_tree_files *files = around->files;
  pthread_mutex_lock(&files->lock);
  if (!files->listed && files->list) files->list(files, around);
  files->listed = true;
  pthread_mutex_unlock(&files->lock);
  return files;
}
