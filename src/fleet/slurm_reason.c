/* SPDX-License-Identifier: Apache-2.0 */
/* The words are those of job_reason_string() and of the descriptions that slurmctld puts in their
 * place. */
#include "fleet/slurm_reason.h"

#include <stdio.h>
#include <string.h>

static bool begins_with_one_of(const char *text, const char *const *beginnings) {
  for (; *beginnings; beginnings++)
    if (pawl_starts_with(text, *beginnings)) return true;
  return false;
}

enum pawl_post_wait pawl_slurm_reason(const char *reason) {
  static const char *const stuck[] = {"BadConstraints",
                                      "PartitionConfig",
                                      "PartitionNodeLimit",
                                      "PartitionTimeLimit",
                                      "PartitionDown",
                                      "PartitionInactive",
                                      "InvalidAccount",
                                      "InvalidQOS",
                                      "QOSNotAllowed",
                                      "AccountNotAllowed",
                                      "DependencyNeverSatisfied",
                                      "ReservationDeleted",
                                      "JobHeldUser",
                                      "JobHeldAdmin",
                                      "launch failed requeued held",
                                      "job requeued in held state",
                                      "MaxMemPerLimit",
                                      "QOSMin",
                                      NULL};
  /* a busy cluster and a reservation give the second one too, and old nodes that are down the first
   * one */
  static const char *const on_nodes[] = {"ReqNodeNotAvail", "Nodes required for job are DOWN",
                                         NULL};
  if (begins_with_one_of(reason, stuck)) return PAWL_WAIT_STUCK;
  /* QOSMaxCpuPerJobLimit, AssocMaxMemPerJob ...: one job asks for too much. Those of a user or a
   * group pass. */
  if (strstr(reason, "PerJob") || strstr(reason, "PerNode")) return PAWL_WAIT_STUCK;
  if (strstr(reason, "Reserved for maintenance") || strstr(reason, "May be reserved"))
    return PAWL_WAIT_PASSES;
  return begins_with_one_of(reason, on_nodes) ? PAWL_WAIT_ON_NODES : PAWL_WAIT_PASSES;
}

bool pawl_slurm_nodes_away(const char *lines, bool all) {
  char allocated[16], idle[16], other[16]; /* large ones are "1.2K" */
  bool some_take = false, some_do_not = false;
  for (const char *line = lines; *line; line += strcspn(line, "\n"), line += *line == '\n') {
    if (sscanf(line, "%15[^/\n]/%15[^/\n]/%15[^/\n]/", allocated, idle, other) != 3) continue;
    some_take |= strcmp(allocated, "0") || strcmp(idle, "0");
    some_do_not |= strcmp(other, "0") != 0;
  }
  return some_do_not && (all || !some_take);
}
