/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/command.h"

const struct pawl_command pawl_commands[] = {
    {"init", "init [DIR] [--example attention|minimal]", "start a repository: pawl.yaml and an example kernel",
     pawl_cmd_init},
    {"doctor", "doctor", "what of this machine works, what does not, and why", pawl_cmd_doctor},
    {"list", "list", "kernels, references, cases and operators of the suite", pawl_cmd_list},
    {"build", "build [KERNEL...] [-D NAME=VALUE]...", "build kernels", pawl_cmd_build},
    {"check", "check [KERNEL...] [--case NAME] [--seed N] [--reduced]", "fuzz kernels for correctness", pawl_cmd_check},
    {"bench", "bench [KERNEL...] [--case NAME] [--set B=32,S=512] [--samples N] [--warmup N] [--shard i/n] [-o FILE]",
     "time kernels", pawl_cmd_bench},
    {"compare", "compare BASELINE CANDIDATE [--threshold -3.0] [-o FILE]", "compare two results", pawl_cmd_compare},
    {"run", "run [--against baseline|REV|none] [--update-baseline] [--reduced] [-o DIR]",
     "the whole loop: build, check, bench, judge, report", pawl_cmd_run},
    {"ratchet", "ratchet RESULTS [--baseline FILE] [--update] [-o REPORT.md]",
     "judge results against the baseline, move it when they improve", pawl_cmd_ratchet},
    {"baseline", "baseline accept KERNEL --case NAME --reason TEXT [--results FILE]", "accept a loss, with its reason",
     pawl_cmd_baseline},
    {"merge", "merge FILE... -o FILE", "join the results of shards", pawl_cmd_merge},
    {"report", "report RESULTS [-o FILE.md|FILE.png|DIR.html]", "draw a report from results", pawl_cmd_report},
    {"github", "github comment|check|status|summary|annotations|baseline|pull-request [--dry-run]",
     "post a run's report on GitHub, Forgejo or Gitea", pawl_cmd_github},
    {"gitlab", "gitlab note|junit [--dry-run] [-o FILE]", "post a run's report on GitLab", pawl_cmd_gitlab},
    {"clean", "clean [--all]", "remove builds, caches and output", pawl_cmd_clean},
};
const size_t pawl_command_count = sizeof pawl_commands / sizeof *pawl_commands;
