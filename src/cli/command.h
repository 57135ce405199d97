/* SPDX-License-Identifier: Apache-2.0 */
/* A command is a file, cmd_<name>.c, and a row of commands.inc. */
#pragma once

#include "cli/general.h"
#include "project/project.h"
#include "record/run_report.h"

/* Runs with the words after the command's name and returns the exit status. PAWL_FAILED and
   PAWL_UNDECIDED with an empty err->message are verdicts, which are already printed. */
typedef enum pawl_status_code (*pawl_command_function)(struct pawl_cli *cli, int argc, char **argv,
                                                       struct pawl_error *err);

struct pawl_command {
  const char *name, *synopsis, *summary;
  pawl_command_function run;
};

extern const struct pawl_command pawl_commands[];
extern const size_t pawl_command_count;

#define PAWL_CA_FILE_HELP \
  "certificates of the authorities for a private host; SSL_CERT_FILE or the system's by default"
/* The error of a failed write to standard output. */
#define PAWL_CLI_NO_OUTPUT "cannot write to standard output"

/* Parses the command's options and the general options (cli/general.h), and checks the number of
   operands. -h prints the usage and sets *done. */
pawl_status pawl_cli_options(struct pawl_cli *cli, const struct pawl_option *options, int *argc,
                             char **argv, int min_operands, int max_operands, bool *done,
                             struct pawl_error *err);

/* Returns the exit status of a command that may fail or reach a verdict. A verdict drops the
 * messages of failures that the result contains. */
enum pawl_status_code pawl_cli_verdict(enum pawl_status_code status, enum pawl_status_code verdict,
                                       struct pawl_error *err);

/* Returns whether --device names several GPUs: a list, or "all". */
bool pawl_cli_names_gpus(const struct pawl_cli *cli);

/* The row of the option that fills the definitions of pawl_cli_open. */
#define PAWL_CLI_DEFINITIONS(list)                           \
  {                                                          \
    PAWL_OPTION_LIST, "-D", list, "NAME=VALUE",              \
        "a compile-time parameter that replaces the suite's" \
  }

/* The row of the option that pawl_cli_open hands to the project. */
#define PAWL_CLI_TRUST_OUTPUTS(cli)                                                                \
  {                                                                                                \
    PAWL_OPTION_FLAG, "--trust-outputs", &(cli)->trusts_outputs, NULL,                             \
        "you have read the outputs of kernels that have 'oracle: base' but no base yet: they are " \
        "right"                                                                                    \
  }

/* Opens the suite of the global options. `definitions` has -D NAME=VALUE; may be NULL. */
pawl_status pawl_cli_open(struct pawl_cli *cli, const struct pawl_option_list *definitions,
                          struct pawl_project *project, struct pawl_error *err);

/* Fails with PAWL_USAGE, which names the nearest, if the suite has no such case. NULL passes. */
pawl_status pawl_cli_require_case(const struct pawl_project *project, const char *name,
                                  struct pawl_error *err);
/* Does the same as pawl_cli_require_case. If the suite has a harness, any name passes, because only
 * the run knows the benchmarks. */
pawl_status pawl_cli_require_row(const struct pawl_project *project, const char *name,
                                 struct pawl_error *err);

/* The kernels, not references, that a command can take: all, those with an operator, or those with
 * parameters to try. */
enum pawl_kernel_choice { PAWL_CHOOSE_ANY, PAWL_CHOOSE_CHECKED, PAWL_CHOOSE_TUNED };

/* If a name is NULL and the suite leaves no choice, replace it: by the only kernel that the command
 * takes, and by the only case of the kernel's operator. Fail with PAWL_USAGE and the choice. */
pawl_status pawl_cli_only_kernel(const struct pawl_project *project, enum pawl_kernel_choice choice,
                                 const char **name, struct pawl_error *err);
pawl_status pawl_cli_only_case(const struct pawl_project *project, const char *kernel_name,
                               const char **name, struct pawl_error *err);

/* Prints text to standard output. pawl_cli_has_printed() counts this and pawl_cli_write(). */
void pawl_cli_print(const char *text);
bool pawl_cli_has_printed(void);
/* Writes a result to `path`, or to stdout if it is NULL. A closed pipe is a failure but no bug of
   pawl. */
pawl_status pawl_cli_write(const char *path, const char *text, size_t length,
                           struct pawl_error *err);
pawl_status pawl_cli_write_json(const char *path, const json_t *value, struct pawl_error *err);

/* Prints a run whose output is in `folder`: its summary, or its verdict.json with --json. */
pawl_status pawl_cli_print_run(const struct pawl_cli *cli, const char *folder, const char *summary,
                               struct pawl_error *err);
/* Prints such a run with the report for a terminal as its summary. */
pawl_status pawl_cli_print_report(const struct pawl_cli *cli, const char *folder,
                                  const struct pawl_run_report *report, struct pawl_error *err);

/* Each command's function is in a file of its own. */
#define COMMAND(name, function, synopsis, summary)                            \
  enum pawl_status_code function(struct pawl_cli *cli, int argc, char **argv, \
                                 struct pawl_error *err);
#include "cli/commands.inc"
#undef COMMAND
