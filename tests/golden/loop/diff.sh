# SPDX-License-Identifier: Apache-2.0
# How the machine code of a kernel changed, without a measurement: a CPU's by objdump, a GPU's by cuobjdump.
repository
sed -i 's/\(scale_cpu: .*\)}/\1, flags: [-O1]}/' pawl.yaml
commit "Compile for any machine"
try pawl diff scale_cpu
sed -i 's/2 \* x\[i\]/2 * x[i] * x[i]/' kernels/scale_cpu.c
try pawl diff scale_cpu
# Lines above move the code. A line that took the place of another one keeps its instructions.
sed -i '0,/^#include/s//\/\/ one\n\/\/ more\n#include/' kernels/scale_cpu.c
pawl -q diff scale_cpu | sed -n 1,4p
pawl -q --json diff HEAD scale_cpu | grep -E '"(code_of|line|identical)"'
try pawl diff HEAD nothing
pawl -q diff | sed -n 1,2p
pawl -q diff HEAD | sed -n 1,2p
try pawl diff no-revision scale_cpu

# A GPU's code needs NVIDIA's tool: here one that lists the code of wide.cu.
cat >>pawl.yaml <<'SUITE'
references: {}
SUITE
sed -i 's/^cases:/  rows: {operator: scale, device: cuda, optional: true, sources: [kernels\/rows.c]}\ncases:/' pawl.yaml
sed '1i __attribute__((used)) static const char mark[] = "wide.sass";' kernels/scale_cpu.c >kernels/rows.c
commit "A kernel for a GPU"
sed -i '1s/wide/narrow/' kernels/rows.c
mkdir -p tools
cat >tools/cuobjdump <<'TOOL'
#!/bin/sh
cat "$LISTINGS/$(grep -aoE '(wide|narrow)[.]sass' "$2" | head -n 1)"
TOOL
chmod +x tools/cuobjdump
export LISTINGS="$GOLDEN/../data/sass"
PATH="$PWD/tools:$PATH" try pawl diff rows
printf '#!/bin/sh\necho "cuobjdump fatal : no device code" >&2\nexit 255\n' >tools/cuobjdump
PATH="$PWD/tools:$PATH" try pawl diff rows

# A revision alone needs a kernel where there are several.
try pawl diff HEAD
try pawl diff nothing
