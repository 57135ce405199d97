# SPDX-License-Identifier: Apache-2.0
# What looks right and does nothing is told, and who is lost gets the words that lead on.
repository
sed -i 's/^\(static int launch\)/#ifndef UNROLL\n#define UNROLL 4\n#endif\n\1/' kernels/scale_cpu.c
sed -i "s|sources: \[kernels/scale_cpu.c\]}|sources: [kernels/scale_cpu.c], params: {UNROL: 2}, tune: {UNROLL: [2, 4], WIDTH: [1, 2]}}|
s|^  tiny: .*|&\n  large: {operator: scale, n: 9000, dtype: f32}|" pawl.yaml
commit "Misspell"
quiet pawl build
quiet pawl -q run --against none
try pawl tune scale_cpu
sed -i 's/UNROL:/UNROLL:/; s/, WIDTH: \[1, 2\]//' pawl.yaml
quiet pawl build
# subcommands, topics, formats
try pawl baseline acept scale_cpu
try pawl baseline nonsense
try pawl guide quik
try pawl import nonsense file
# equal machine code has no blocks
commit "Spell"
quiet pawl -q run --update-baseline
commit "Record the baseline"
quiet pawl -q run
try pawl power perf/out/verdict.json
# --changes: rows without enough values share a line
pawl history --changes | tail -1
# a revision stands behind an '@'
try pawl compare --paired HEAD~1 HEAD
try pawl compare --paired scale_cpp scale_cpu
