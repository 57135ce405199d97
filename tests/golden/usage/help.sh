# SPDX-License-Identifier: Apache-2.0
# -h of pawl and of every command; --help too; nothing on standard error.
try pawl -h
for command in $(pawl -h | sed -n 's/^  \([a-z][a-z]*\)  *.*/\1/p'); do
  try pawl "$command" -h
done
pawl list --help | head -1
try pawl --version
