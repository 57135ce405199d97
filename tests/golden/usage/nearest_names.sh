# SPDX-License-Identifier: Apache-2.0
# A name that the suite does not have: 64 and the nearest one.
repository
try pawl build scale_cpp
try pawl build entirely_different
try pawl bench --case tinny
try pawl check --case unlike
try pawl bench --set m=3
try pawl bench --set n=0
try pawl bench --set n=1000,dtype=f33
printf 'version: 1\nkernels: {theirs: {command: [./bench], parse: catch3}}\n' >pawl.yaml
try pawl bench
sed -i 's/catch3/unlike/' pawl.yaml
try pawl bench
