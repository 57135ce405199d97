# SPDX-License-Identifier: Apache-2.0
# --forge adds a code host's files: with an example in a new folder, alone where there is a suite.
try pawl init --example minimal --forge github first
find first -path first/.git -prune -o -type f -print | LC_ALL=C sort
cmp first/.github/pull_request_template.md "$PAWL_HOME/share/pawl/templates/forge/github/dot.github/pull_request_template.md"
try pawl init --forge github first
mkdir second && echo 'version: 1' >second/pawl.yaml
try pawl init --forge gitlab second
try pawl init --forge forgejo second
sed -n "/^on:/,/dispatch/p" second/.forgejo/workflows/pawl.yml
find second -path second/.git -prune -o -type f -print | LC_ALL=C sort
try pawl init --forge gihub third
find . -name third
