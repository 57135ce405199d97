# SPDX-License-Identifier: Apache-2.0
# A dirty tree, a tree without a commit and a folder without git never write a baseline: 77, before time is spent.
repository
echo >>kernels/scale_cpu.c
try pawl run --update-baseline
ls
mkdir ../bare && cd ../bare
pawl -q init --example minimal
try pawl run --update-baseline
rm -rf .git
try pawl run --update-baseline
