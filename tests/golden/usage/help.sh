# SPDX-License-Identifier: Apache-2.0
# -h of pawl and of every command; --help too; nothing on standard error.
try pawl -h
pawl -h >"$SCRATCH/usage"
for command in $(pawl -h | sed -n 's/^  \([a-z][a-z]*\)  *.*/\1/p'); do
  try pawl "$command" -h
done
pawl list --help | head -1
pawl --version | sed -E 's/^(commit|compiler) .*/\1/; s/ [0-9][^ ,]*(,|$)/\1/g'
pawl --version | grep -Eq '^commit     ([0-9a-f]{12}(-dirty)?|unknown)$' && echo "the commit is of 12 digits or unknown"
pawl help | cmp - "$SCRATCH/usage" && echo "help is -h"
try pawl help list
try pawl help lits
