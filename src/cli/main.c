/* SPDX-License-Identifier: Apache-2.0 */
/* pawl [-C DIR] [-f pawl.yaml] [-v|-q] [--json] [--device N|UUID] COMMAND */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/command.h"

static const char usage_head[] =
    "usage: pawl [-C DIR] [-f pawl.yaml] [-v|-q] [--json] [--device N|UUID] COMMAND [...]\n\n";
static const char usage_tail[] =
    "\nOptions before the command:\n"
    "  -C DIR            work in DIR\n"
    "  -f FILE           the suite, pawl.yaml by default\n"
    "  -v, -q            say more, say only results and errors\n"
    "  --json            results as JSON\n"
    "  --device N|UUID   the GPU to use; of run, check and bench also several: 0,1 or all\n"
    "  --version         print the version\n\n"
    "pawl help COMMAND explains a command. Exit status: 0 all is well, 1 a regression or broken code under test,\n"
    "2 nothing decided, from 64 an error of use or of the machine (sysexits).\n";

static void print_usage(void) {
  fputs(usage_head, stdout);
  for (size_t i = 0; i < pawl_command_count; i++)
    printf("  %-10s %s\n", pawl_commands[i].name, pawl_commands[i].summary);
  fputs(usage_tail, stdout);
}

static const struct pawl_command *find_command(const char *name) {
  for (size_t i = 0; i < pawl_command_count; i++) {
    if (!strcmp(pawl_commands[i].name, name)) return &pawl_commands[i];
  }
  return NULL;
}

static pawl_status no_command(const char *name, struct pawl_error *err) {
  const char *names[64];
  size_t count = 0;
  for (; count < pawl_command_count && count < 64; count++) names[count] = pawl_commands[count].name;
  const char *nearest = pawl_nearest(name, names, count);
  if (nearest) return pawl_fail(err, PAWL_USAGE, "no command '%s'; did you mean '%s'?", name, nearest);
  return pawl_fail(err, PAWL_USAGE, "no command '%s'; pawl -h lists them", name);
}

/* The options before the command; argv[*at] is then the command's name. */
static pawl_status global_options(struct pawl_cli *cli, int argc, char **argv, int *at, struct pawl_error *err) {
  const char *folder = NULL;
  bool verbose = false, quiet = false, version = false, help = false;
  const struct pawl_option options[] = {{PAWL_OPTION_STRING, "-C", &folder, "DIR", "", 0, 0},
                                        {PAWL_OPTION_STRING, "-f", &cli->suite, "FILE", "", 0, 0},
                                        {PAWL_OPTION_STRING, "--device", &cli->device, "N|UUID", "", 0, 0},
                                        {PAWL_OPTION_STRING, "--gpu-lost", &cli->gpu_lost, "REASON", "", 0, 0},
                                        {PAWL_OPTION_FLAG, "-v", &verbose, NULL, "", 0, 0},
                                        {PAWL_OPTION_FLAG, "-q", &quiet, NULL, "", 0, 0},
                                        {PAWL_OPTION_FLAG, "--json", &cli->json, NULL, "", 0, 0},
                                        {PAWL_OPTION_FLAG, "--version", &version, NULL, "", 0, 0},
                                        {PAWL_OPTION_FLAG, "-h", &help, NULL, "", 0, 0},
                                        {PAWL_OPTION_FLAG, "--help", &help, NULL, "", 0, 0},
                                        {PAWL_OPTION_END, NULL, NULL, NULL, NULL, 0, 0}};
  int i = 1;
  while (i < argc && argv[i][0] == '-' && argv[i][1]) { /* one option at a time, up to the command */
    const bool takes_value = !strcmp(argv[i], "-C") || !strcmp(argv[i], "-f") || !strcmp(argv[i], "--device") ||
                             !strcmp(argv[i], "--gpu-lost");
    int words = takes_value && i + 1 < argc ? 2 : 1;
    const int step = words;
    PAWL_TRY(pawl_options_parse(options, &words, argv + i, &cli->arena, err));
    i += step;
  }
  if (folder && chdir(folder)) return pawl_fail_errno(err, errno, "cannot work in '%s'", folder);
  if (version) puts("pawl " PAWL_VERSION);
  if (help) print_usage();
  *at = version || help ? argc : i;
  pawl_log_init(&cli->log, quiet ? PAWL_LOG_QUIET : verbose ? PAWL_LOG_VERBOSE : PAWL_LOG_NORMAL);
  if (*at == argc && !version && !help) {
    fputs(usage_head, stderr);
    return pawl_fail(err, PAWL_USAGE, "no command given; pawl -h lists them");
  }
  return PAWL_OK;
}

/* pawl help [COMMAND]: as -h. */
static enum pawl_status_code help(struct pawl_cli *cli, int argc, char **argv, struct pawl_error *err) {
  char word[] = "-h";
  if (argc == 0) {
    print_usage();
    return PAWL_OK;
  }
  cli->command = find_command(argv[0]);
  return cli->command ? cli->command->run(cli, 1, (char *[]){word, NULL}, err) : no_command(argv[0], err);
}

static enum pawl_status_code run(struct pawl_cli *cli, int argc, char **argv, struct pawl_error *err) {
  int at = argc;
  PAWL_TRY(global_options(cli, argc, argv, &at, err));
  if (at == argc) return PAWL_OK;
  if (!strcmp(argv[at], "help")) return help(cli, argc - at - 1, argv + at + 1, err);
  cli->command = find_command(argv[at]);
  if (!cli->command) return no_command(argv[at], err);
  return cli->command->run(cli, argc - at - 1, argv + at + 1, err);
}

/* Descriptors 0 to 2 must be open, or files that we open would take their place. In the place of a closed standard
   output stands one that cannot be written, so that a result is not lost in silence. */
static void secure_standard_descriptors(void) {
  for (int fd = 0; fd < 3; fd++) {
    if (fcntl(fd, F_GETFD) == -1 && errno == EBADF && open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY) != fd)
      _exit(PAWL_BUG);
  }
}

/* Where the machine has no configuration of fonts, pictures are drawn with the bundle's, if this is one. */
static void find_fonts(void) {
  if (getenv("FONTCONFIG_FILE") || getenv("FONTCONFIG_PATH") || pawl_file_exists("/etc/fonts/fonts.conf")) return;
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(home, "share/pawl/fonts/fonts.conf");
  if (pawl_file_exists(path)) setenv("FONTCONFIG_FILE", path, 0);
}

int main(int argc, char **argv) {
  secure_standard_descriptors();
  find_fonts();
  signal(SIGPIPE, SIG_IGN);
  struct pawl_cli cli = {.suite = "pawl.yaml"};
  struct pawl_error err = {0};
  enum pawl_status_code status = run(&cli, argc, argv, &err);
  if ((fflush(stdout) || ferror(stdout)) && status < PAWL_USAGE) /* a verdict that nobody could read is none */
    status = pawl_fail(&err, PAWL_CANNOT_WRITE, "cannot write to standard output");
  if (*err.message && status != PAWL_OK) fprintf(stderr, "pawl: %s\n", err.message);
  pawl_arena_clear(&cli.arena);
  return (int)status;
}
