/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/command.h"
#include "cli/interrupt.h"
#include "commit.h" /* the build folder's header defines PAWL_COMMIT */

/* --- version --- */

/* Version, commit and build options. */

/* pawl does not link drivers, so one program serves machines with and without GPUs. `pawl doctor`
   shows what a machine has. */
static const char version_text[] =
    "pawl " PAWL_VERSION
    "\n"
    "commit     " PAWL_COMMIT
    "\n"
#ifdef PAWL_RELEASE
    "release    " PAWL_RELEASE
    "\n"
#endif
    "compiler   " PAWL_COMPILER
    "\n"
    "libraries  " PAWL_LIBRARIES
    "\n"
    "history    SQLite, PostgreSQL\n"
    "GPU        the CUDA driver and NVML, loaded at run time\n"
    "sandbox    namespaces, Landlock and seccomp, where the system has them\n"
    "pawl doctor shows what works on this machine.\n";

/* --- the command --- */

static const char usage_head[] =
    "usage: pawl [-C DIR] [-f pawl.yaml] [-v|-q] [--json] [--device N|UUID] COMMAND [...]\n\n";
static const char usage_tail[] =
    "\npawl help COMMAND explains a command. Exit status: 0 success, 1 a regression or broken code "
    "under test,\n2 no "
    "decision, from 64 an error in the command line or of the machine (sysexits).\n";

/* These options stand alone and need no command. */
struct lone_words {
  bool version, help;
};
#define LONE_ROWS 4
#define ALL_ROWS (PAWL_GENERAL_OPTIONS + LONE_ROWS)

static void list_options(struct pawl_cli *cli, struct lone_words *words,
                         struct pawl_option out[ALL_ROWS]) {
  const struct pawl_option rows[LONE_ROWS] = {
      {PAWL_OPTION_FLAG, "--version", &words->version, NULL,
       "print the version, its commit and its libraries"},
      {PAWL_OPTION_FLAG, "-h", &words->help, NULL,
       "print this help; after a command, the help of the command"},
      {PAWL_OPTION_FLAG, "--help", &words->help, NULL, "the same"},
      {PAWL_OPTION_END}};
  pawl_general_options(cli, out);
  memcpy(out + PAWL_GENERAL_OPTIONS, rows, sizeof rows);
}

static void print_usage(const struct pawl_option *options) {
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_text_add(&text, usage_head);
  for (size_t i = 0; i < pawl_command_count; i++)
    pawl_text_printf(&text, "  %-10s %s\n", pawl_commands[i].name, pawl_commands[i].summary);
  pawl_text_add(&text, "\nOptions of every command, before or after its name:\n");
  pawl_options_help(options, &text);
  pawl_text_add(&text, usage_tail);
  pawl_cli_print(pawl_text_string(&text));
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
  for (; count < pawl_command_count && count < 64; count++)
    names[count] = pawl_commands[count].name;
  const char *nearest = pawl_nearest(name, names, count);
  if (nearest)
    return pawl_fail(err, PAWL_USAGE, "no command '%s'; did you mean '%s'?", name, nearest);
  return pawl_fail(err, PAWL_USAGE, "no command '%s'; pawl -h lists them", name);
}

/* The number of words of an option: itself, and a value in a word of its own. */
static int words_of(const struct pawl_option *options, const char *word) {
  for (const struct pawl_option *option = options; option->kind; option++)
    if (!strcmp(option->name, word)) return option->kind == PAWL_OPTION_FLAG ? 1 : 2;
  return 1;
}

/* Parses the options before the command; *command_index: the command's name in argv. */
static pawl_status global_options(struct pawl_cli *cli, int argc, char **argv, int *command_index,
                                  struct pawl_error *err) {
  struct lone_words words = {0};
  struct pawl_option options[ALL_ROWS];
  list_options(cli, &words, options);
  int i = 1;
  while (i < argc && argv[i][0] == '-' &&
         argv[i][1]) { /* parses one option at a time, up to the command */
    int count = i + 1 < argc ? words_of(options, argv[i]) : 1;
    const int step = count;
    PAWL_TRY(pawl_options_parse(options, &count, argv + i, &cli->arena, err));
    i += step;
  }
  PAWL_TRY(pawl_general_apply(cli, err));
  if (words.version) pawl_cli_print(version_text);
  if (words.help) print_usage(options);
  *command_index = words.version || words.help ? argc : i;
  if (*command_index == argc && !words.version && !words.help) {
    fputs(usage_head, stderr);
    return pawl_fail(err, PAWL_USAGE, "no command; pawl -h lists them");
  }
  return PAWL_OK;
}

/* `pawl help COMMAND` does the same as -h. */
static enum pawl_status_code help(struct pawl_cli *cli, int argc, char **argv,
                                  struct pawl_error *err) {
  char word[] = "-h";
  if (argc == 0) {
    struct lone_words words;
    struct pawl_option options[ALL_ROWS];
    list_options(cli, &words, options);
    print_usage(options);
    return PAWL_OK;
  }
  cli->command = find_command(argv[0]);
  return cli->command ? cli->command->run(cli, 1, (char *[]){word, NULL}, err)
                      : no_command(argv[0], err);
}

static enum pawl_status_code run(struct pawl_cli *cli, int argc, char **argv,
                                 struct pawl_error *err) {
  int command_index = argc;
  PAWL_TRY(global_options(cli, argc, argv, &command_index, err));
  if (command_index == argc) return PAWL_OK;
  if (!strcmp(argv[command_index], "help"))
    return help(cli, argc - command_index - 1, argv + command_index + 1, err);
  cli->command = find_command(argv[command_index]);
  if (!cli->command) return no_command(argv[command_index], err);
  return cli->command->run(cli, argc - command_index - 1, argv + command_index + 1, err);
}

/* Opens descriptors 0 to 2, or later files take their place. A closed standard output gets a
   descriptor that refuses writes, so that pawl loses no result silently. */
static void secure_standard_descriptors(void) {
  for (int fd = 0; fd < 3; fd++) {
    if (fcntl(fd, F_GETFD) == -1 && errno == EBADF &&
        open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY) != fd)
      _exit(PAWL_BUG);
  }
}

/* If the machine has no font configuration, pictures use the bundle's fonts. */
static void find_fonts(void) {
  if (getenv("FONTCONFIG_FILE") || getenv("FONTCONFIG_PATH") ||
      pawl_file_exists("/etc/fonts/fonts.conf"))
    return;
  PAWL_CLEANUP(pawl_free_pointer) char *home = pawl_home();
  PAWL_CLEANUP(pawl_free_pointer) char *path = pawl_path_join(home, "share/pawl/fonts/fonts.conf");
  if (pawl_file_exists(path)) setenv("FONTCONFIG_FILE", path, 0);
}

static bool wants_json(int argc, char **argv) {
  for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
    if (!strcmp(argv[i], "--json")) return true;
  return false;
}

/* With --json, a command without a document prints its outcome. */
static void print_outcome(const struct pawl_cli *cli, enum pawl_status_code status,
                          const char *message) {
  PAWL_CLEANUP(pawl_json_release) json_t *document = json_object();
  PAWL_CLEANUP(pawl_text_clear) struct pawl_text text = {0};
  pawl_json_set_int(document, "schema_version", 1);
  pawl_json_set_string(document, "command", cli->command ? cli->command->name : NULL);
  pawl_json_set_int(document, "status", status);
  pawl_json_set_string(document, "error", *message && status != PAWL_OK ? message : NULL);
  pawl_json_write_text(document, true, &text);
  fputs(text.data, stdout);
}

/* Whether the only fault is a pipe whose reader has gone, as in `pawl guide plugins | head`. The
   exit status alone reports it. */
static bool reader_has_left(const struct pawl_error *err) {
  struct pollfd out = {.fd = STDOUT_FILENO};
  return !strcmp(err->message, PAWL_CLI_NO_OUTPUT) && poll(&out, 1, 0) > 0 &&
         (out.revents & POLLERR);
}

int main(int argc, char **argv) {
  secure_standard_descriptors();
  find_fonts();
  /* This closes pawl's memory and descriptors in /proc to other processes of this user, such as
     workers. */
  prctl(PR_SET_DUMPABLE, 0);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN); /* a write beyond the file size limit fails like on a full disk */
  /* If the parent ignores SIGCHLD, the system drops the exit status of children. */
  signal(SIGCHLD, SIG_DFL);
  struct pawl_cli cli = {.suite = "pawl.yaml"};
  struct pawl_error err = {0};
  const bool json = wants_json(argc, argv); /* before run, which removes the options */
  enum pawl_status_code status = run(&cli, argc, argv, &err);
  if (json && !pawl_cli_has_printed()) print_outcome(&cli, status, err.message);
  if ((fflush(stdout) || ferror(stdout)) &&
      status < PAWL_USAGE) /* a verdict that nobody could read counts as none */
    status = pawl_fail(&err, PAWL_CANNOT_WRITE, PAWL_CLI_NO_OUTPUT);
  if (*err.message && status != PAWL_OK && !reader_has_left(&err))
    fprintf(stderr, "pawl: %s\n", err.message);
  pawl_arena_clear(&cli.arena);
  pawl_interrupt_end();
  return (int)status;
}
