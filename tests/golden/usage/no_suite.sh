# SPDX-License-Identifier: Apache-2.0
# Without pawl.yaml: 66; -C and -f say where it is; a folder that is not there.
for command in list build check bench run clean; do try pawl "$command"; done
mkdir inside
printf 'version: 1\n' >inside/other.yaml
try pawl -C inside -f other.yaml list
try pawl -C nowhere list
try pawl -f inside list
