# SPDX-License-Identifier: Apache-2.0
# list shows what the suite says, also of kinds that this machine cannot run.
cat >pawl.yaml <<'YAML'
version: 1
operators:
  scale: {sources: [scale.c]}
  rms: {protocol: [python3, rms.py]}
kernels:
  sdpa_cpu: {operator: attention, device: cpu, sources: [sdpa.c], params: {BLOCK_M: 64, BLOCK_N: 32}}
  sdpa_gpu: {operator: attention, device: cuda, sources: [sdpa.cu], optional: true}
  theirs: {operator: scale, build: {command: [make], output: theirs.so}}
  harness: {command: [./bench, "{out}"]}
references:
  torch_sdpa: {operator: attention, device: cuda, protocol: [python3, torch_sdpa.py], optional: true}
cases:
  training_512: {operator: attention, B: 32, H: 8, S: 512, D: 64, dtype: f16}
  causal_1k: {operator: attention, B: 1, H: 8, S: 1024, D: 64, causal: 1, dtype: bf16}
YAML
try pawl list
try pawl --json list

# The last line that sets a limit decides.
cat >>pawl.yaml <<'YAML'
gate:
  preset: strict
  detect: 4%
  limits:
    sdpa_*: {tolerate: 1%}
    "*/causal_1k": {detect: 8%, inconclusive: warn}
    "harness/gemm_*": {improve: 10%}
YAML
sed -i 's/harness: .*/harness: {command: [.\/bench, "{out}"], parse: nvbench}/' pawl.yaml
try pawl list --gate
try pawl --json list --gate

# An operator says once which shapes it takes. It starts again for another suite and for other code.
pawl -q init --example minimal asked
cd asked
starts() { pawl -v list 2>&1 >/dev/null | grep -c 'then operators in'; }
echo "$(starts) start, then $(starts)"
cp pawl.yaml before.yaml
sed -i 's/n: 1000000,/n: -3,/' pawl.yaml
try pawl -q list
cp before.yaml pawl.yaml
echo "$(starts) starts for the earlier suite"
sed -i 's/"n"/"m"/' operators/scale.c
try pawl -q list
