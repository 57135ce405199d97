/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over the files of a folder, with any compiler: the corpus as a regression
 * test. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>

#include "base/file.h"
#include "base/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int main(int count, char **arguments) {
  DIR *folder = count == 2 ? opendir(arguments[1]) : NULL;
  if (!folder) {
    fprintf(stderr, "usage: %s FOLDER\n", arguments[0]);
    return 64;
  }
  int files = 0;
  for (const struct dirent *entry; (entry = readdir(folder));) {
    if (entry->d_name[0] == '.') continue;
    PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
    PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(arguments[1], entry->d_name);
    struct pawl_error err = {0};
    if (pawl_file_read(path, (size_t)1 << 24, &text, &err) != PAWL_OK) {
      fprintf(stderr, "%s\n", err.message);
      return 1;
    }
    fprintf(stderr, "%s\n", entry->d_name); /* the last name is the failure */
    LLVMFuzzerTestOneInput((const uint8_t *)pawl_text_string(&text), text.length);
    files++;
  }
  closedir(folder);
  return files == 0;
}
