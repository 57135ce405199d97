/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
/* cmocka needs these four first */
#include <cmocka.h>

#include "base/count.h"
#include "build/remote_page.h"

static void test_links_of_each_host(void **state) {
  static const struct {
    const char *remote, *commit, *pull;
  } rows[] = {
      {"git@github.com:octo/app.git", "https://github.com/octo/app/commit/",
       "https://github.com/octo/app/pull/"},
      {"https://github.com/octo/app", "https://github.com/octo/app/commit/",
       "https://github.com/octo/app/pull/"},
      {"https://x-access-token:s3cret@github.com/octo/app.git/",
       "https://github.com/octo/app/commit/", "https://github.com/octo/app/pull/"},
      {"https://user:p@ss@github.com/octo/app", "https://github.com/octo/app/commit/",
       "https://github.com/octo/app/pull/"},
      {"ssh://git@gitlab.example.org:2222/group/sub/app.git",
       "https://gitlab.example.org/group/sub/app/-/commit/",
       "https://gitlab.example.org/group/sub/app/-/merge_requests/"},
      {"git@bitbucket.org:team/app.git", "https://bitbucket.org/team/app/commits/",
       "https://bitbucket.org/team/app/pull-requests/"},
      {"https://codeberg.org/octo/app.git", "https://codeberg.org/octo/app/commit/",
       "https://codeberg.org/octo/app/pulls/"},
      {"http://git.example.org:3000/octo/github",
       "https://git.example.org:3000/octo/github/commit/",
       "https://git.example.org:3000/octo/github/pulls/"},
      {"ssh://git@[2001:db8::1]:22/octo/app", "https://[2001:db8::1]/octo/app/commit/",
       "https://[2001:db8::1]/octo/app/pulls/"},
  };
  struct pawl_arena arena = {0};
  (void)state;
  for (size_t i = 0; i < PAWL_COUNT(rows); i++) {
    const struct pawl_remote_links links = pawl_remote_links(rows[i].remote, &arena);
    assert_string_equal(links.commit, rows[i].commit);
    assert_string_equal(links.pull, rows[i].pull);
  }
  pawl_arena_clear(&arena);
}

/* No link to a folder, and none that a page or a mail could take for something else. */
static void test_no_link(void **state) {
  static const char *const remotes[] = {"/srv/git/app.git",
                                        "../app.git",
                                        "file:///srv/app.git",
                                        "javascript:alert(1)",
                                        "javascript://github.com/%0aalert(1)",
                                        "data:text/html,x",
                                        "git@github.com:o/a\" onclick=x",
                                        "https://github.com/octo/<app>",
                                        "https://github.com/octo/app?x=1#y",
                                        "https://github.com/",
                                        "https://exa mple.org/a/b",
                                        "folder/app.git",
                                        ""};
  struct pawl_arena arena = {0};
  (void)state;
  for (size_t i = 0; i < PAWL_COUNT(remotes); i++) {
    assert_null(pawl_remote_links(remotes[i], &arena).commit);
    assert_null(pawl_remote_links(remotes[i], &arena).pull);
  }
  assert_null(pawl_remote_page(NULL, &arena));
  pawl_arena_clear(&arena);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_links_of_each_host),
                                     cmocka_unit_test(test_no_link)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
