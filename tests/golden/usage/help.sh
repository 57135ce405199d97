# SPDX-License-Identifier: Apache-2.0
# -h of pawl and of every command; --help too; nothing on standard error.
try pawl -h
pawl -h >"$SCRATCH/usage"
for command in $(pawl -h | sed -n 's/^  \([a-z][a-z]*\)  *.*/\1/p'); do
  try pawl "$command" -h
done
pawl list --help | head -1
try pawl --version
pawl help | cmp - "$SCRATCH/usage" && echo "help is -h"
try pawl help list
try pawl help lits
