# SPDX-License-Identifier: Apache-2.0
# A worktree of pawl's own that lost its .git, as when its removal was killed, is made anew.
repository
sed -i 's/2 \* x/1 * x/' kernels/scale_cpu.c
quiet pawl -q run --against none
tree=.pawl/worktrees/$(git rev-parse HEAD | cut -c1-12)
ls "$tree"
rm "$tree/.git" "$tree/pawl.yaml"
quiet pawl -q run --against none
ls "$tree"
git -C "$tree" status --short
