# SPDX-License-Identifier: Apache-2.0
# Guides: listed, shown as they are, in a pager on a terminal only, and none without an installed pawl.
try pawl guide
pawl guide pawl-yaml | cmp - "$PAWL_HOME/share/pawl/guides/pawl-yaml.md" && echo "a pipe gets the file"
PAGER='sed -n 1s/^/paged:/p' script -qec "pawl guide verdicts" /dev/null | tr -d '\r'
PAGER='' script -qec "pawl guide verdicts" /dev/null | tr -d '\r' | head -1
try pawl guide verdict
try pawl guide quick
try pawl guide ../templates
try pawl guide verdicts history
mkdir empty
PAWL_HOME=$PWD/empty pawl guide 2>&1 || echo "(exit status $?)"
