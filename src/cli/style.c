/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/style.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct pawl_terminal_style pawl_cli_style(const struct pawl_cli *cli) {
  struct pawl_terminal_style look = {.verdict_only = cli->quiet};
  struct winsize size = {0};
  if (isatty(STDOUT_FILENO) != 1) return look;
  const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
  look.colour = !(no_color && *no_color) && !(term && !strcmp(term, "dumb"));
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) look.columns = size.ws_col;
  return look;
}
