# SPDX-License-Identifier: Apache-2.0
# A run that two machines share: each measures its part in pairs, and joined they are the run of one machine.
# By hand: two/verdict.json
repository
sed -i 's/^check:/  small: {operator: scale, n: 100, dtype: f32}\n&/' pawl.yaml
commit "Add a case"
quiet pawl -q run --update-baseline
commit "Record the baseline"
sed -i 's/2 \* x\[i\]/2 * x[i] + 0.5f/' kernels/scale_cpu.c
commit "Be wrong"
quiet pawl -q run --shard 1/2 -o one
quiet pawl -q run --shard 2/2 -o two
field one/verdict.json totals.configurations
field two/verdict.json shard
grep '^Part' two/report.md
mkdir both
echo "an earlier run's" >both/roofline.png
quiet pawl merge one two -o both
head -1 both/report.md
ls both
field both/verdict.json totals.configurations
field both/verdict.json totals.missing
field both/verdict.json shard
field both/results.json results.1.case
# back: the arms are of the same machine code, and nothing is timed
git checkout -q HEAD~1 -- kernels
commit "Be right again"
quiet pawl -q run --shard 1/2 -o one
quiet pawl -q run --shard 2/2 -o two
try pawl -q merge one two -o both >"$SCRATCH/merged"
sed -n 2p "$SCRATCH/merged"
field both/verdict.json unpaired
field both/verdict.json comparisons.1.paired.identical_code
# an entry whose kernel is gone is said by one part
sed -i 's/^kernels:/&\n  other: {operator: scale, device: cpu, sources: [kernels\/scale_cpu.c]}/; s/^  scale_cpu:.*//' pawl.yaml
commit "Rename it"
quiet pawl -q run --against none --shard 1/2 -o one
quiet pawl -q run --against none --shard 2/2 -o two
field one/verdict.json totals.missing
field two/verdict.json totals.missing
# these runs do not belong together
try pawl merge one -o none
try pawl merge one one -o none
try pawl merge both two -o none
sed -i 's/"of": 2/"of": 3/' two/verdict.json
try pawl merge one two -o none
sed -i 's/"of": 3/"of": 0/' two/verdict.json
try pawl merge one two -o none
try pawl run --shard 3/2
try pawl run --shard x
