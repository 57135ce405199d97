# SPDX-License-Identifier: Apache-2.0
# pawl refuses a case without elements, and one that is larger than the machine's memory, before it begins: in the words of the suite,
# with the sizes.
repository
sed -i 's/{"n", 1, 100000000,/{"n", 0, 1000000000000000,/' operators/scale.c
git commit -q -a -m "Take every size"
refused() {
  for command in bench "run --against none" check; do
    # shellcheck disable=SC2086 # words
    try timeout 60 pawl -q $command 2>&1 | sed 's/this machine has [0-9.]* GiB/this machine has SOME GiB/'
  done
}
sed -i 's/n: 1000,/n: 0,/; s/n: \[1, 1000\]/n: [0]/' pawl.yaml
git commit -q -a -m "Have no elements"
refused
sed -i 's/n: 0,/n: 10000000000000,/; s/n: \[0\]/n: [10000000000000]/' pawl.yaml
git commit -q -a -m "Have more than the memory"
refused
