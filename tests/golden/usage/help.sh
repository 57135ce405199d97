# SPDX-License-Identifier: Apache-2.0
# -h of pawl and of every command; --help too; nothing on standard error.
try pawl -h
for command in init doctor list build check bench compare run ratchet baseline merge report clean; do
  try pawl "$command" -h
done
pawl list --help | head -1
try pawl --version
