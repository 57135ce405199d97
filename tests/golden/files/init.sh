# SPDX-License-Identifier: Apache-2.0
# init starts a repository, writes over nothing, and leaves nothing behind when it refuses.
try pawl init --example minimal first
(cd first && git status --short --branch && find . -path ./.git -prune -o -type f -print | LC_ALL=C sort)
cp first/pawl.yaml before
try pawl init --example minimal first
cmp first/pawl.yaml before
mkdir -p second/kernels
echo mine >second/kernels/scale_cpu.c
try pawl init --example minimal second
find second -type f
try pawl init third
find third -path third/.git -prune -o -type f -print | LC_ALL=C sort
(cd third && try pawl list)
mkdir fourth && cd fourth && git init -q
try pawl -v init --example minimal
echo file >"$SCRATCH/file"
try pawl init "$SCRATCH/file"
cd ..
mkdir fifth && echo 'version: 1' >fifth/pawl.yml
(cd fifth && try pawl list)
try pawl init --example minimal fifth
find fifth -type f
