/* SPDX-License-Identifier: Apache-2.0 */
/* pawl ci issues, pawl notify --issues: one issue for each change of the history that needs a
   person. */
#include "cli/ci.h"
#include "cli/history_open.h"
#include "forge/change_issues.h"
#include "notify/notice.h"

enum pawl_status_code pawl_ci_issues(struct pawl_ci *ci, struct pawl_error *err) {
  PAWL_CLEANUP(pawl_store_close_pointer) struct pawl_store *store = NULL;
  struct pawl_suite suite;
  struct pawl_issue_counts counts;
  PAWL_TRY(pawl_ci_read_forge(ci, err));
  if (ci->forge.is_pull_request || ci->forge.is_fork)
    return pawl_fail(err, PAWL_NOT_PERMITTED,
                     "issues are about the default branch: run this step outside pull requests");
  PAWL_TRY(pawl_history_open(ci->cli, &suite, &store, err));
  const char *link = suite.notify.link;
  if (link && !pawl_notice_is_link(link))
    return pawl_fail(err, PAWL_CONFIG, "the link '%s' is not an https address", link);
  const struct pawl_remote_links links = pawl_remote_links_of(suite.folder, &ci->cli->arena);
  PAWL_TRY(pawl_forge_change_issues(&ci->forge, store, &links, link, &counts, err));
  pawl_log_info(&ci->cli->log, "issues: %zu opened, %zu updated, %zu closed", counts.opened,
                counts.updated, counts.closed);
  if (counts.left)
    pawl_log_warning(&ci->cli->log, "%zu more changes have no issue yet: the next run opens them",
                     counts.left);
  return PAWL_OK;
}
